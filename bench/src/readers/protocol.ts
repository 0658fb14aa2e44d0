import { z } from "zod";

/** How one reader is let in: the request it sends, and what it says on a socket. */
const readerPlan = z.object({
  port: z.number(),
  request: z.string(),
  transport: z.enum(["sse", "socket"]),
  /** The first message on a socket. */
  greeting: z.string().optional(),
  /** Whether a socket acknowledges what it has read, as V2 readers do. */
  acknowledges: z.boolean().optional(),
  /** Reads nothing after the response began, until it is collected. */
  stalls: z.boolean().optional(),
});
export type ReaderPlan = z.infer<typeof readerPlan>;

const group = z.string();
const readerRequest = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("open"),
    group,
    plans: z.array(readerPlan),
    /** Deltas each reader waits for. */
    total: z.number(),
    /** The first delta whose latency counts; none where it is left out. */
    sampleFrom: z.number().optional(),
    timeoutMs: z.number(),
  }),
  z.object({ type: z.literal("collect"), group, timeoutMs: z.number() }),
  z.object({ type: z.literal("close"), group }),
]);
export type ReaderRequest = z.infer<typeof readerRequest>;

/** NaN where there are no samples; it travels as null. */
const maybe = z
  .number()
  .nullable()
  .transform((value) => value ?? Number.NaN);
const percentiles = z.object({ count: z.number(), p50: maybe, p99: maybe, max: maybe });
const groupStats = z.object({
  readers: z.number(),
  /** Readers that got every delta once, in order, and the end of the stream. */
  complete: z.number(),
  deltas: z.number(),
  bytes: z.number(),
  lastDeltaAt: z.number(),
  latencyMs: percentiles,
  /** From the request to the first byte of the response, in the order of the plans. */
  firstBytesMs: z.array(maybe),
  /** Ports of the readers' sockets, in the order of their plans. */
  ports: z.array(z.number()),
  failures: z.array(z.string()),
});
export type GroupStats = z.infer<typeof groupStats>;

export const readerReply = z.object({
  id: z.number(),
  stats: groupStats.optional(),
  error: z.string().optional(),
});
export const numberedRequest = z.object({ id: z.number(), request: readerRequest });
