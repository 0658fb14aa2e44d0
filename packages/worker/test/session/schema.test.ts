import { expect, test } from "vitest";
import type { Lease } from "../../src/durable-objects/session/session-store.ts";
import type { NodeStorage } from "../node-storage.ts";
import { finalize, readLog, TestSession, text } from "../support/test-session.ts";

/** The tables as the first version left them, with a session, a person and a runner's lease. */
function firstVersion(storage: NodeStorage, lease: Lease): void {
  storage.transaction(() => {
    storage.all("CREATE TABLE people AS SELECT user, role FROM members");
    storage.all("DROP TABLE members");
    storage.all("CREATE TABLE members (user TEXT PRIMARY KEY, role TEXT NOT NULL)");
    storage.all("INSERT INTO members SELECT user, role FROM people");
    storage.all("DROP TABLE people");
    for (const column of ["epoch", "runner_seq"]) storage.all(`ALTER TABLE log DROP COLUMN ${column}`);
    storage.all("INSERT INTO meta VALUES ('lease', ?)", JSON.stringify(lease));
    storage.all("DROP TABLE lease");
    storage.all("DROP INDEX removed_messages");
    storage.all("DROP TABLE latest");
    storage.all("DROP TABLE channels");
    storage.all("DELETE FROM meta WHERE key = 'schema'");
  });
}

test("LOG12: a session of the first version goes on with its history, its people and its lease", () => {
  const session = new TestSession();
  session.join("bob", "viewer");
  const { turnId, runner } = session.startTurn();
  runner.send(text(turnId, "Hello"), finalize(turnId));
  const channels = [{ id: "c2", type: "slack" }, { id: "c1" }, { id: "c2" }, { id: "c1" }];
  for (const [index, channel] of channels.entries()) {
    const next = session.room.prompt("bob", { id: `c${index}`, text: "hi", channel }).turnId;
    runner.send({ type: "message.create", turnId: next }, finalize(next));
  }
  const seen = () => ({
    log: readLog(session.log),
    lease: session.room.store.lease(),
    members: session.room.store.members(),
    messages: session.messages,
    channels: session.room.store.turns.channels.all(),
  });
  const before = seen();
  expect(before.channels).toEqual([
    { id: "c1", type: null },
    { id: "c2", type: null },
    { id: "c2", type: "slack" },
  ]);
  firstVersion(session.storage, before.lease);
  session.crash();
  expect(seen()).toEqual(before);
  const next = session.prompt();
  session.connectRunner().send({ type: "message.create", turnId: next }, finalize(next));
  session.crash();
  expect(readLog(session.log).at(-1)).toMatchObject({ type: "status", status: "ready" });
});

test("LOG12: what a newer version stored is left alone", () => {
  const session = new TestSession();
  session.storage.all("UPDATE meta SET value = '99' WHERE key = 'schema'");
  expect(() => session.crash()).toThrow("stored by a newer version (99)");
});
