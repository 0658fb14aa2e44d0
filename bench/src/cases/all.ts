import type { BenchCase } from "../bench.ts";
import { disconnect } from "./disconnect.ts";
import { firstByte } from "./first-byte.ts";
import { latencyCase } from "./latency.ts";
import { idleStreams, sequentialRequests } from "./memory.ts";
import { slowReader } from "./slow-reader.ts";
import { throughputCase } from "./throughput.ts";

const single = { batching: "single" } as const;
const runner = { batching: "runner" } as const;

/** In the order they run. */
export const CASES: readonly BenchCase[] = [
  firstByte,
  latencyCase({ name: "latency-50x1", sessions: 50, readers: 1, perSecond: 50, ...single, quick: true }),
  latencyCase({ name: "latency-1x50", sessions: 1, readers: 50, perSecond: 50, ...single, quick: true }),
  latencyCase({ name: "latency-200x1", sessions: 200, readers: 1, perSecond: 100, ...runner, quick: false }),
  latencyCase({ name: "latency-1x400", sessions: 1, readers: 400, perSecond: 100, ...single, quick: false }),
  throughputCase({ name: "flat-1x1", sessions: 1, readers: 1, ...runner, quick: false }),
  throughputCase({ name: "flat-1x100", sessions: 1, readers: 100, ...runner, quick: true }),
  throughputCase({ name: "flat-1x500", sessions: 1, readers: 500, ...runner, quick: false }),
  throughputCase({ name: "flat-100x1", sessions: 100, readers: 1, ...runner, quick: true }),
  throughputCase({ name: "flat-1x100-single", sessions: 1, readers: 100, ...single, quick: false }),
  throughputCase({ name: "flat-100x1-single", sessions: 100, readers: 1, ...single, quick: false }),
  disconnect,
  slowReader,
  idleStreams,
  sequentialRequests,
];
