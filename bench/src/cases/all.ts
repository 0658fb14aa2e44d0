import type { BenchCase } from "../bench.ts";
import { disconnect } from "./disconnect.ts";
import { firstByte } from "./first-byte.ts";
import { latencyCase } from "./latency.ts";
import { idleStreams, sequentialRequests } from "./memory.ts";
import { slowReader } from "./slow-reader.ts";
import { throughputCase } from "./throughput.ts";

/** In the order they run. Memory comes first, while the process is young. */
export const CASES: readonly BenchCase[] = [
  sequentialRequests,
  firstByte,
  latencyCase("latency-50x1", { sessions: 50, readers: 1, perSecond: 50, batching: "single" }, true),
  latencyCase("latency-1x50", { sessions: 1, readers: 50, perSecond: 50, batching: "single" }, true),
  latencyCase("latency-200x1", { sessions: 200, readers: 1, perSecond: 100, batching: "runner" }, false),
  latencyCase("latency-1x400", { sessions: 1, readers: 400, perSecond: 100, batching: "single" }, false),
  throughputCase("flat-1x1", { sessions: 1, readers: 1, batching: "runner" }, false),
  throughputCase("flat-1x100", { sessions: 1, readers: 100, batching: "runner" }, true),
  throughputCase("flat-1x500", { sessions: 1, readers: 500, batching: "runner" }, false),
  throughputCase("flat-100x1", { sessions: 100, readers: 1, batching: "runner" }, true),
  throughputCase("flat-1x100-single", { sessions: 1, readers: 100, batching: "single" }, false),
  throughputCase("flat-100x1-single", { sessions: 100, readers: 1, batching: "single" }, false),
  disconnect,
  slowReader,
  idleStreams,
];
