import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LogEvent } from "@agent-ops/shared/events";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { EventLog } from "../../src/durable-objects/session/event-log.ts";
import { NodeStorage } from "../node-storage.ts";
import { expectNoGaps } from "../support/fake-sockets.ts";
import { readLog } from "../support/test-session.ts";

const MEGABYTE = 1024 * 1024;
const LEASE = { epoch: 1, seq: 0 };

type Step = { kind: "append"; size: number } | { kind: "store" } | { kind: "crash" };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("append" as const), size: fc.integer({ min: 0, max: 40 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("append" as const), size: fc.constant(300_000) }) },
  { weight: 2, arbitrary: fc.constant({ kind: "store" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "crash" as const }) },
);

/** The log beside the plainest model of it: what was appended, and how much of that is safe. */
class Bench {
  storage: NodeStorage;
  log: EventLog;
  expected: LogEvent[] = [];
  stored = 0;

  constructor(path?: string) {
    this.storage = new NodeStorage(path);
    EventLog.createTable(this.storage);
    this.log = new EventLog(this.storage);
  }

  run(steps: readonly Step[]): void {
    for (const [index, entry] of steps.entries()) {
      if (entry.kind === "append") {
        this.expected.push(this.log.append({ type: "x", text: "\u00e9".repeat(entry.size) }, index).event);
      } else if (entry.kind === "store") {
        this.log.store(LEASE);
        this.stored = this.expected.length;
      } else {
        this.crash();
      }
    }
  }

  crash(): void {
    this.storage = this.storage.reopen();
    this.log = new EventLog(this.storage);
    this.expected.length = this.stored;
  }

  largestRow(): number {
    const rows = this.storage.all("SELECT max(length(cast(events AS BLOB))) AS bytes FROM log");
    return Number(rows[0]?.bytes ?? 0);
  }
}

describe("EventLog", () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });

  it("LOG1, EV2: reading from every seq yields the tail of the whole run, whatever was stored, lost or split", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const bench = new Bench();
        bench.run(steps);
        expectNoGaps(bench.expected);
        expect([bench.log.storedSeq, bench.log.lastSeq]).toEqual([bench.stored, bench.expected.length]);
        for (let since = 0; since <= bench.expected.length; since++) {
          expect(readLog(bench.log, since)).toEqual(bench.expected.slice(since));
        }
        expect(bench.largestRow()).toBeLessThan(MEGABYTE);
      }),
      { numRuns: 60 },
    );
  });

  it("LOG1: only what was stored survives a process, in a file too", () => {
    const folder = mkdtempSync(join(tmpdir(), "agent-ops-log-"));
    folders.push(folder);
    const bench = new Bench(join(folder, "log.sqlite"));
    const append = { kind: "append", size: 1 } as const;
    bench.run([append, append, { kind: "store" }, append, { kind: "crash" }]);
    expect(readLog(bench.log)).toEqual(bench.expected);
    bench.run([append, { kind: "store" }]);
    expectNoGaps(readLog(bench.log));
    expect(bench.log.storedSeq).toBe(3);
  });

  it("LOG1: the JSON beside an event is the event", () => {
    const bench = new Bench();
    bench.run([{ kind: "append", size: 2 }, { kind: "store" }, { kind: "append", size: 3 }]);
    for (const since of [0, 1]) {
      for (const { event, json } of bench.log.readAfter(since)) expect(JSON.parse(json)).toEqual(event);
    }
  });

  it("LOG2: a transaction that fails stores nothing and keeps what waits", () => {
    const bench = new Bench();
    bench.run([{ kind: "append", size: 1 }, { kind: "store" }, { kind: "append", size: 1 }]);
    const failure = () => {
      throw new Error("disk full");
    };
    expect(() => bench.log.store(LEASE, failure)).toThrow("disk full");
    expect([bench.log.storedSeq, bench.log.waiting]).toEqual([1, 1]);
    bench.log.store(LEASE);
    expect(readLog(bench.log)).toEqual(bench.expected);
  });

  it("LOG7: rows stay under 1 MB where a character takes three bytes", () => {
    const bench = new Bench();
    for (let index = 0; index < 20; index++) bench.log.append({ type: "x", text: "\u65e5".repeat(50_000) }, 0);
    bench.log.store(LEASE);
    expect(bench.largestRow()).toBeLessThan(MEGABYTE);
  });

  it("EV2, EV3: an event that brings its own seq and ts still gets the log's", () => {
    const bench = new Bench();
    bench.log.append({ type: "mystery", seq: 77, ts: -1 }, 5);
    bench.log.append({ type: "mystery" }, 6);
    bench.log.store(LEASE);
    expect(readLog(bench.log).map(({ seq, ts }) => [seq, ts])).toEqual([
      [1, 5],
      [2, 6],
    ]);
  });
});
