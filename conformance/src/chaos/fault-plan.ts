import type { Size } from "./plan.ts";
import type { Random } from "./random.ts";

export type Fault =
  /** `again`: once more while it recovers. */
  | { kind: "kill-workerd"; again: boolean }
  | { kind: "kill-runner"; host: Host }
  | { kind: "kill-workerd-and-runner"; host: Host }
  | { kind: "kill-agent"; session: number }
  | { kind: "cut-clients"; session: number }
  | { kind: "stall-readers"; session: number; ms: number }
  /** Several connections at once from older and older places; the last of them counts. */
  | { kind: "reconnect-storm"; session: number; backs: number[] }
  /** The runner host's connections break, and those it opens then come through late and out of order. */
  | { kind: "cut-runner"; delays: number[] }
  | { kind: "stall-runner"; ms: number };

/** The runner that came with the product, or one that joined over a line that can break. */
export type Host = "local" | "joined";

export type TimedFault = Fault & { at: number };

/** Everything is up and has something to lose by then. */
const FIRST_MS = 1_500;

export function planFaults(random: Random, { sessions, seconds }: Size): TimedFault[] {
  const session = () => random.int(0, sessions - 1);
  const faults: TimedFault[] = [];
  // The first ones come in any case, whatever the dice say.
  const certain = firstFaults(random, session);
  for (let at = FIRST_MS; at < seconds * 1000; at += random.int(300, 1_100)) {
    faults.push({ ...(certain.shift() ?? drawFault(random, session)), at });
  }
  return faults;
}

function firstFaults(random: Random, session: () => number): Fault[] {
  return [
    { kind: "kill-workerd", again: false },
    { kind: "cut-clients", session: session() },
    { kind: "kill-agent", session: session() },
    { kind: "kill-runner", host: "local" },
    { kind: "reconnect-storm", session: session(), backs: drawBacks(random) },
    { kind: "kill-workerd-and-runner", host: "joined" },
    { kind: "cut-runner", delays: drawDelays(random) },
    { kind: "stall-readers", session: session(), ms: random.int(300, 900) },
    { kind: "kill-workerd", again: true },
    { kind: "stall-runner", ms: random.int(300, 900) },
  ];
}

function drawFault(random: Random, session: () => number): Fault {
  const host = random.pick<Host>(["local", "joined"]);
  return random.weighted<() => Fault>([
    [4, () => ({ kind: "kill-workerd", again: random.chance(0.25) })],
    [2, () => ({ kind: "kill-runner", host })],
    [1, () => ({ kind: "kill-workerd-and-runner", host })],
    [2, () => ({ kind: "kill-agent", session: session() })],
    [3, () => ({ kind: "cut-clients", session: session() })],
    [2, () => ({ kind: "stall-readers", session: session(), ms: random.int(200, 1_500) })],
    [2, () => ({ kind: "reconnect-storm", session: session(), backs: drawBacks(random) })],
    [3, () => ({ kind: "cut-runner", delays: drawDelays(random) })],
    [1, () => ({ kind: "stall-runner", ms: random.int(200, 1_500) })],
  ])();
}

function drawBacks(random: Random): number[] {
  return Array.from({ length: random.int(2, 5) }, () => random.pick([0, 0, random.int(1, 20), random.int(1, 500)]));
}

function drawDelays(random: Random): number[] {
  return Array.from({ length: random.int(2, 6) }, () => random.pick([0, random.int(1, 400)]));
}
