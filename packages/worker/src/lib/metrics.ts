type Histogram = { buckets: number[]; count: number; sum: number };

const BOUNDS_MS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 5_000, 30_000, 120_000];

const COUNTERS = [
  "adapter.request.count",
  "adapter.request.errors",
  "adapter.ws.open_failures",
  "adapter.stream.aborts.client",
  "adapter.stream.aborts.server",
  "adapter.translation.unknown_events",
  "sessions.created",
  "sessions.deleted",
  "turns.started",
  "turns.ended",
  "runner.resent_events",
  "runner.malformed_events",
] as const;
const GAUGES = ["queue.length", "subscribers"] as const;
const HISTOGRAMS = ["adapter.latency.ttfb", "adapter.latency.turn_duration"] as const;

type Counter = (typeof COUNTERS)[number];
type Gauge = (typeof GAUGES)[number];
type Latency = (typeof HISTOGRAMS)[number];

/**
 * Counts of this process, as Prometheus reads them. Names have dots, as in the design; the text has underscores. Where
 * actors live in other processes, each one counts for itself. Everything is there from the start, with 0: Prometheus
 * cannot see the increase of a counter that begins at 1.
 */
class Metrics {
  #counters = new Map<Counter, number>(COUNTERS.map((name) => [name, 0]));
  #gauges = new Map<Gauge, Map<string, number>>(GAUGES.map((name) => [name, new Map()]));
  #histograms = new Map<Latency, Histogram>(HISTOGRAMS.map((name) => [name, emptyHistogram()]));

  count(name: Counter, by = 1): void {
    this.#counters.set(name, (this.#counters.get(name) ?? 0) + by);
  }

  /**
   * One holder's share of something that goes up and down. Actors start again within the life of a process, so they say
   * how much it is and not by how much it changed.
   */
  hold(name: Gauge, holder: string, share: number): void {
    if (share === 0) this.#gauges.get(name)?.delete(holder);
    else this.#gauges.get(name)?.set(holder, share);
  }

  observe(name: Latency, ms: number): void {
    const found = this.#histograms.get(name) ?? emptyHistogram();
    const at = BOUNDS_MS.findIndex((bound) => ms <= bound);
    if (at >= 0) found.buckets[at] = (found.buckets[at] ?? 0) + 1;
    found.count += 1;
    found.sum += ms;
    this.#histograms.set(name, found);
  }

  /** The Prometheus text format. */
  text(): string {
    const lines: string[] = [];
    for (const [name, value] of this.#counters)
      lines.push(`# TYPE ${metricName(name)} counter`, `${metricName(name)} ${value}`);
    for (const [name, shares] of this.#gauges)
      lines.push(`# TYPE ${metricName(name)} gauge`, `${metricName(name)} ${total(shares)}`);
    lines.push(...this.#errorRate());
    for (const [name, histogram] of this.#histograms)
      lines.push(...histogramLines(`${metricName(name)}_ms`, histogram));
    return `${lines.join("\n")}\n`;
  }

  #errorRate(): string[] {
    const requests = this.#counters.get("adapter.request.count") ?? 0;
    const errors = this.#counters.get("adapter.request.errors") ?? 0;
    const name = metricName("adapter.request.error_rate");
    return [`# TYPE ${name} gauge`, `${name} ${requests === 0 ? 0 : errors / requests}`];
  }
}

export const metrics = new Metrics();

function total(shares: ReadonlyMap<string, number>): number {
  return [...shares.values()].reduce((sum, share) => sum + share, 0);
}

function emptyHistogram(): Histogram {
  return { buckets: BOUNDS_MS.map(() => 0), count: 0, sum: 0 };
}

function metricName(name: string): string {
  return `agent_ops_${name.replaceAll(".", "_")}`;
}

function histogramLines(name: string, { buckets, count, sum }: Histogram): string[] {
  let total = 0;
  const lines = BOUNDS_MS.map((bound, index) => {
    total += buckets[index] ?? 0;
    return `${name}_bucket{le="${bound}"} ${total}`;
  });
  return [
    `# TYPE ${name} histogram`,
    ...lines,
    `${name}_bucket{le="+Inf"} ${count}`,
    `${name}_sum ${sum}`,
    `${name}_count ${count}`,
  ];
}
