import { z } from "zod";

/** What the worker's process is told when it starts. */
export const workerSettings = z.object({
  host: z.string(),
  port: z.number(),
  data: z.string(),
  /** Further text bindings of the worker. */
  bindings: z.record(z.string(), z.string()),
  /** Where a debugger can look into the worker, on this machine. */
  inspectorPort: z.number().optional(),
});
export type WorkerSettings = z.infer<typeof workerSettings>;

/** What the worker's process says once. */
export const workerMessage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready") }),
  z.object({ type: z.literal("failed"), message: z.string() }),
]);
export type WorkerMessage = z.infer<typeof workerMessage>;
