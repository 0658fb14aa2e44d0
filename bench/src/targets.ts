import type { Measure } from "./bench.ts";
import type { SystemName } from "./systems/system.ts";

export type CaseResult = { name: string; title: string; seconds: number; measures: readonly Measure[] };

/** A figure of this run beside what it should be; undefined where the run does not have it. */
export type Verdict = { what: string; target: string; figure: string; passed: boolean };

type Lookup = (name: string, system: SystemName, key: string) => number | undefined;
type Check = { value: number | undefined; limit: number; unit: string; at: "most" | "least"; digits?: number };
type Target = { what: string; check(figure: Lookup): Check };

const most = (value: number | undefined, limit: number, unit: string, digits = 1): Check => {
  return { value, limit, unit, at: "most", digits };
};
const least = (value: number | undefined, limit: number, unit: string, digits = 1): Check => {
  return { value, limit, unit, at: "least", digits };
};

function ratio(figure: Lookup, name: string, key: string, systems: { of: SystemName; to: SystemName }) {
  const [above, below] = [figure(name, systems.of, key), figure(name, systems.to, key)];
  return above === undefined || below === undefined ? undefined : above / below;
}

const faster = (name: string, than: SystemName, times: number): Target["check"] => {
  return (figure) => least(ratio(figure, name, "framesPerSecond", { of: "adapter", to: than }), times, "x");
};

/** PERF.md's targets, for two cores with the load generator beside the server. */
const TARGETS: Target[] = [
  { what: "50 sessions x 1 reader x 50/s, p50", check: (of) => most(of("latency-50x1", "adapter", "p50"), 1, "ms", 2) },
  {
    what: "50 sessions x 1 reader x 50/s, p50 against a V2 socket",
    check: (of) => most(ratio(of, "latency-50x1", "p50", { of: "adapter", to: "socket" }), 1.5, "x", 2),
  },
  { what: "50 sessions x 1 reader x 50/s, p99", check: (of) => most(of("latency-50x1", "adapter", "p99"), 10, "ms") },
  { what: "1 session x 50 readers x 50/s, p50", check: (of) => most(of("latency-1x50", "adapter", "p50"), 5, "ms") },
  { what: "1 session x 50 readers x 50/s, p99", check: (of) => most(of("latency-1x50", "adapter", "p99"), 15, "ms") },
  { what: "200 sessions x 1 reader x 100/s, p50", check: (of) => most(of("latency-200x1", "adapter", "p50"), 5, "ms") },
  {
    what: "200 sessions x 1 reader x 100/s, delivered",
    check: (of) => least(of("latency-200x1", "adapter", "delivered"), 100, "%"),
  },
  {
    what: "1 session x 400 readers x 100/s, p99",
    check: (of) => most(of("latency-1x400", "adapter", "p99"), 200, "ms", 0),
  },
  {
    what: "1 session x 400 readers x 100/s, delivered",
    check: (of) => least(of("latency-1x400", "adapter", "delivered"), 100, "%"),
  },
  { what: "flat out, 1 x 100 readers, against the naive bridge", check: faster("flat-1x100", "naive", 40) },
  { what: "the same, an event a message", check: faster("flat-1x100-single", "naive", 40) },
  { what: "flat out, 100 x 1 reader, against the naive bridge", check: faster("flat-100x1", "naive", 5) },
  { what: "the same, an event a message", check: faster("flat-100x1-single", "naive", 5) },
  { what: "flat out, 1 x 100 readers, against ai-chat", check: faster("flat-1x100", "ai-chat", 8) },
  { what: "flat out, 100 x 1 reader, against ai-chat", check: faster("flat-100x1", "ai-chat", 8) },
  { what: "flat out, 1 x 100 readers, against ai 7 on Node", check: faster("flat-1x100", "ai-node", 1) },
  { what: "open idle streams", check: (of) => least(of("idle-streams", "adapter", "streams"), 9_500, "", 0) },
  { what: "memory of an open idle stream", check: (of) => most(of("idle-streams", "adapter", "kbEach"), 80, "KB", 0) },
  { what: "first byte, 10 at a time, p99", check: (of) => most(of("first-byte", "adapter", "p99"), 50, "ms") },
  {
    what: "disconnect noticed after the heartbeat",
    check: (of) => most(of("disconnect", "adapter", "afterHeartbeatMs"), 5, "ms"),
  },
  {
    what: "all of workerd, ten times the requests",
    check: (of) => {
      const all = { of: of("requests", "adapter", "allMb"), to: of("requests", "adapter", "firstMb") };
      return most(all.of === undefined || all.to === undefined ? undefined : all.of / all.to, 1.3, "x", 2);
    },
  },
  { what: "heap, ten times the requests", check: (of) => most(of("requests", "adapter", "ratio"), 1.1, "x", 2) },
  {
    what: "slow reader: readers beside it that finish",
    check: (of) => least(of("slow-reader", "adapter", "complete"), of("slow-reader", "adapter", "readers") ?? 0, "", 0),
  },
  {
    what: "slow reader: what it was sent, socket buffers included",
    check: (of) => most(of("slow-reader", "adapter", "stalledMb"), 8, "MB"),
  },
];

export function judge(results: readonly CaseResult[], quick: boolean): Verdict[] {
  const figure: Lookup = (name, system, key) => {
    const measures = results.find((result) => result.name === name)?.measures;
    return measures?.find((measure) => measure.system === system)?.values[key];
  };
  return TARGETS.flatMap(({ what, check }) => {
    const { value, limit, unit, at, digits = 1 } = check(figure);
    if (value === undefined || (quick && what === "open idle streams")) return [];
    const passed = at === "most" ? value <= limit : value >= limit;
    const target = `${at === "most" ? "<=" : ">="} ${limit} ${unit}`.trim();
    return [{ what, target, figure: `${value.toFixed(digits)} ${unit}`.trim(), passed }];
  });
}
