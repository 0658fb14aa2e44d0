import { z } from "zod";
import { TIMES } from "./limits.ts";

export type Times = { readonly [name in keyof typeof TIMES]: number };

/** Timers count in 31 bits: a week is well within. */
const WEEK_MS = 604_800_000;
const ms = z.int().min(0).max(WEEK_MS);

/** Some of the times, as an operator may set them. */
export const timesSetting = z.partialRecord(z.enum(Object.keys(TIMES)), ms);
