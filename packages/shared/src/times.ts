import { z } from "zod";
import { TIMES } from "./limits.ts";

const DAY_MS = 86_400_000;

export type Times = { readonly [name in keyof typeof TIMES]: number };

const times = z.partialRecord(z.enum(Object.keys(TIMES)), z.int().min(0).max(DAY_MS));

/** The times of an installation that set some of them as JSON; throws where it cannot have them. */
export function timesOf(setting: string | undefined): Times {
  return { ...TIMES, ...(setting ? times.parse(JSON.parse(setting)) : {}) };
}
