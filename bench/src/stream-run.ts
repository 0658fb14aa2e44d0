import { processorSeconds } from "./child.ts";
import { type Feed, feed } from "./feed.ts";
import type { GroupStats } from "./readers/protocol.ts";
import type { ReaderPool } from "./readers/reader-pool.ts";
import type { FedSession, System } from "./systems/system.ts";

const OPEN_MS = 60_000;

export type StreamRun = {
  sessions: number;
  /** Readers of each session. */
  readers: number;
  feed: Feed;
  /** The first delta whose latency counts. */
  sampleFrom?: number;
  /** How long the readers may take after the last delta was sent. */
  patienceMs: number;
};

/** `serverMicros` is what each delta to each reader cost the server, in microseconds of processor time. */
export type StreamResult = { stats: GroupStats; expected: number; elapsedMs: number; serverMicros: number };

let runs = 0;

/** One turn in each session: lets the readers in, feeds the deltas, and waits until everybody has them all. */
export async function runStream(pool: ReaderPool, system: System, run: StreamRun): Promise<StreamResult> {
  const group = `stream-${++runs}`;
  const sessions = await system.open(run.sessions);
  try {
    await openReaders(pool, group, sessions, run);
    await Promise.all(sessions.map((session) => session.begun()));
    const busyBefore = processorSeconds(system.pid);
    const startedAt = await feed(sessions, run.feed);
    const stats = await pool.collect(group, run.patienceMs);
    const busy = processorSeconds(system.pid) - busyBefore;
    return {
      stats,
      expected: run.sessions * run.readers * run.feed.count,
      elapsedMs: (stats.lastDeltaAt - startedAt) / 1000,
      serverMicros: (busy * 1e6) / stats.deltas,
    };
  } finally {
    await pool.close(group);
    for (const session of sessions) session.close();
  }
}

/** The first reader of each session begins its turn, so it is there before the others. */
async function openReaders(
  pool: ReaderPool,
  group: string,
  sessions: readonly FedSession[],
  run: StreamRun,
): Promise<void> {
  const expected = { group, total: run.feed.count, sampleFrom: run.sampleFrom, timeoutMs: OPEN_MS };
  await pool.open({ ...expected, plans: sessions.map((session) => session.plan(0)) });
  const others = sessions.flatMap((session) =>
    Array.from({ length: run.readers - 1 }, (_, index) => session.plan(index + 1)),
  );
  if (others.length > 0) await pool.open({ ...expected, plans: others });
}
