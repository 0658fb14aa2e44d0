import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { ROOT } from "./paths.ts";
import type { SupervisedProcess } from "./supervised-process.ts";

export const RUNNER_PROGRAM = join(ROOT, "packages/runner/src/main.ts");
const JOIN_MS = 10_000;

/** What a runner's process says when the pool has taken it in. */
const runnerMessage = z.object({
  type: z.literal("joined"),
  isolation: z.enum(["user", "none"]),
  reason: z.string().default(""),
});
type RunnerMessage = z.infer<typeof runnerMessage>;

/** Starts a runner; says how it joined, unless it did not in time. It goes on trying by itself. */
export async function joinedRunner(runner: SupervisedProcess): Promise<RunnerMessage | undefined> {
  const message = await Promise.race([runner.startAndWait(), delay(JOIN_MS, undefined, { ref: false })]);
  return runnerMessage.safeParse(message).data;
}

/** `sharing` says what follows for sessions of more than one person. */
export function isolationWarning(reason: string, sharing: string): string {
  return `Agents are not kept apart here, and can read what this user can (${reason}). ${sharing}`;
}
