import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Caller, newUser } from "./support/api.ts";
import { FakeHost, type FakeRunner } from "./support/sockets.ts";

/** docs/scaling.md reckons with these. */
const ROWS_OF_A_TURN = 40;
const ROWS_OF_A_BATCH = 1;
/** What the lists of sessions were told. */
const ROWS_OF_LISTS = 1;
const BYTES_OF_A_DELTA = 160;
const BYTES_OF_A_SESSION = 100_000;

describe("what a session writes", () => {
  let host: FakeHost;
  let ann: Caller;
  let session: string;

  beforeEach(async () => {
    host = await FakeHost.join();
    ann = newUser("ann");
    session = await ann.createSession();
  });
  afterEach(() => host.leave());

  const size = () => runInDurableObject(env.SESSIONS.getByName(session), (_, { storage }) => storage.sql.databaseSize);

  /** Counts from now on what the hosted platform bills as rows written: rows, entries of indexes, alarms. */
  function countRows(): Promise<() => number> {
    return runInDurableObject(env.SESSIONS.getByName(session), (_, { storage }) => {
      let rows = 0;
      const { sql } = storage;
      const exec = sql.exec.bind(sql);
      const setAlarm = storage.setAlarm.bind(storage);
      Object.assign(sql, {
        exec(query: string, ...values: SqlStorageValue[]) {
          const cursor = exec(query, ...values);
          const all = cursor.toArray();
          rows += cursor.rowsWritten;
          return { toArray: () => all };
        },
      });
      Object.assign(storage, {
        setAlarm(at: number) {
          rows += 1;
          return setAlarm(at);
        },
      });
      return () => rows;
    });
  }

  async function firstTurn(): Promise<FakeRunner> {
    const response = await ann.chat(session, "hello");
    const runner = await host.runner(session);
    await finish(runner, await runner.prompt(), response);
    return runner;
  }

  async function turn(runner: FakeRunner, batches: string[][]): Promise<void> {
    const from = runner.socket.received.length;
    const response = await ann.chat(session, "hello");
    const turnId = String((await runner.socket.next("prompt", from)).turnId);
    runner.send({ type: "message.create", turnId });
    for (const batch of batches) {
      runner.send(...batch.map((delta) => ({ type: "message.part.text-delta", turnId, delta })));
      await runner.stored();
    }
    await finish(runner, turnId, response);
  }

  async function finish(runner: FakeRunner, turnId: string, response: Response): Promise<void> {
    runner.send({ type: "message.finalize", turnId, reason: "end_turn" });
    await response.text();
    await runner.stored();
  }

  it("is a fixed number of rows a turn, and a few for each stored batch", async () => {
    const runner = await firstTurn();
    const rows = await countRows();
    await turn(runner, []);
    const fixed = rows();
    const bytes = await size();
    const batches = Array.from({ length: 4 }, () => Array<string>(100).fill(" word"));
    await turn(runner, batches);
    expect(fixed).toBeLessThanOrEqual(ROWS_OF_A_TURN);
    expect(rows() - 2 * fixed).toBeLessThanOrEqual(batches.length * ROWS_OF_A_BATCH + ROWS_OF_LISTS);
    expect((await size()) - bytes).toBeLessThanOrEqual(400 * BYTES_OF_A_DELTA);
  });

  it("is little before anybody has said anything", async () => {
    expect(await size()).toBeLessThanOrEqual(BYTES_OF_A_SESSION);
  });
});
