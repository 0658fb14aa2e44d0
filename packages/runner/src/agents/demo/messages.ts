import type { ProgramEvent } from "../program/messages.ts";

/** What the demo agent says during a turn. How it ends is for the runner to say. */
export type DemoEvent = Exclude<ProgramEvent, { type: "message.finalize" }>;
