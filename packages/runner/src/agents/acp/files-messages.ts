import { z } from "zod";

const id = z.number();
const lines = z.number().int().nonnegative().optional();

/** To the process that reads and writes files for an agent. */
export const filesRequest = z.discriminatedUnion("type", [
  z.object({ type: z.literal("read"), id, path: z.string(), line: lines, limit: lines }),
  z.object({ type: z.literal("write"), id, path: z.string(), content: z.string() }),
]);
export type FilesRequest = z.infer<typeof filesRequest>;

/** From that process. */
export const filesAnswer = z.discriminatedUnion("outcome", [
  z.object({ id, outcome: z.literal("done"), content: z.string() }),
  z.object({ id, outcome: z.literal("outside"), message: z.string() }),
  z.object({ id, outcome: z.literal("failed"), message: z.string() }),
]);
export type FilesAnswer = z.infer<typeof filesAnswer>;
