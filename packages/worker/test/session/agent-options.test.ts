import { describe, expect, it } from "vitest";
import { onClientFrame } from "../../src/durable-objects/session/client-commands.ts";
import { NodeStorage } from "../node-storage.ts";
import { finalize, OPTIONS, OWNER, TestSession } from "../support/test-session.ts";

const KEY = "sk-only-in-memory";

/** Every cell of every table. */
function stored({ storage }: TestSession): string {
  const tables = storage.all("SELECT name FROM sqlite_master WHERE type = 'table'").map(({ name }) => String(name));
  return JSON.stringify(tables.flatMap((table) => storage.all(`SELECT * FROM ${table}`)));
}

function askWithKey(session: TestSession, id: string): void {
  const prompt = { id, text: id, model: "big" };
  session.command({
    kind: "prompt",
    prompt,
    apiKey: KEY,
    edits: false,
    options: { ...OPTIONS, onDisconnect: "detach" },
  });
}

describe("options for the agent", () => {
  it("OPT1: the session's own go to the runner with each prompt; those of a prompt count first", () => {
    const session = new TestSession(new NodeStorage(), { model: "small", temperature: 0.5, system: "Be brief." });
    const runner = session.connectRunner();
    session.crash();
    const first = session.prompt();
    const next = session.connectRunner();
    next.send({ type: "message.create", turnId: first }, finalize(first));
    session.room.prompt(OWNER, { id: "p2", text: "again", model: "big", mcpServers: [] });
    expect(next.socket.ofType("prompt")).toMatchObject([
      { turnId: first, model: "small", temperature: 0.5, system: "Be brief." },
      { model: "big", temperature: 0.5, system: "Be brief.", mcpServers: [] },
    ]);
    expect(runner.socket.ofType("prompt")).toEqual([]);
  });

  it("OPT1: a regenerate has the options of its prompt where it brings none of its own", () => {
    const session = new TestSession();
    const turnId = session.room.prompt(OWNER, { id: "p1", text: "hello", model: "big", temperature: 1 }).turnId;
    const runner = session.connectRunner();
    runner.send({ type: "message.create", turnId }, finalize(turnId));
    session.command({ kind: "regenerate", agent: { temperature: 0 }, apiKey: KEY, options: OPTIONS });
    expect(runner.socket.ofType("prompt").at(-1)).toMatchObject({ model: "big", temperature: 0, apiKey: KEY });
  });

  it("OPT4: a key goes to the runner with its prompt, again until the runner has taken it, and is stored nowhere", () => {
    const session = new TestSession();
    askWithKey(session, "p1");
    askWithKey(session, "p2");
    const turnId = session.room.turns.activeTurnId ?? "";
    for (const runner of [session.connectRunner(), session.connectRunner()]) {
      expect(runner.socket.ofType("prompt")).toMatchObject([{ turnId, withKey: true, apiKey: KEY }]);
    }
    const runner = session.connectRunner();
    runner.send({ type: "message.create", turnId });
    expect(session.connectRunner().socket.ofType("prompt")).toEqual([]);
    runner.send(finalize(turnId));
    expect(stored(session)).not.toContain(KEY);
    expect(stored(session)).toContain("withKey");
  });

  it("OPT4: a key that a restart took is told as lost, for the prompt that runs and for one that waits", () => {
    const session = new TestSession();
    askWithKey(session, "p1");
    askWithKey(session, "p2");
    session.crash();
    const runner = session.connectRunner();
    const turnId = session.room.turns.activeTurnId ?? "";
    runner.send({ type: "message.create", turnId }, finalize(turnId, "error"));
    const prompts = runner.socket.ofType("prompt");
    expect(prompts).toMatchObject([{ withKey: true }, { withKey: true }]);
    expect(JSON.stringify(prompts)).not.toContain(KEY);
  });

  it("OPT1, OPT4: over the socket too; what does not fit is told, and names no key", () => {
    const session = new TestSession();
    const socket = session.read();
    const by = { user: OWNER, expiresAt: Number.POSITIVE_INFINITY };
    const send = (more: object) =>
      onClientFrame(session.room, { socket, by }, JSON.stringify({ type: "prompt", id: "p1", text: "hi", ...more }));
    send({ temperature: 3, apiKey: KEY });
    send({ apiKey: `${KEY} ` });
    expect(socket.errors).toEqual(["bad_request", "bad_request"]);
    send({ temperature: 1, apiKey: KEY });
    expect(session.connectRunner().socket.ofType("prompt")).toMatchObject([{ temperature: 1, apiKey: KEY }]);
    expect(JSON.stringify(socket.frames) + stored(session)).not.toContain(KEY);
  });

  it("ACL11: a visitor does not choose how the agent works", () => {
    const session = new TestSession();
    const widget = { sessionId: "ses_1", by: OWNER, origin: "https://example.com" };
    const visitor = { user: "visitor", expiresAt: Number.POSITIVE_INFINITY, widget };
    const ask = (options: object, apiKey?: string) => () =>
      session.room.door.requireChatter(visitor, {
        kind: "prompt",
        prompt: { id: "p1", text: "hello", ...options },
        ...(apiKey === undefined ? {} : { apiKey }),
        edits: false,
        options: OPTIONS,
      });
    expect(ask({})).not.toThrow();
    for (const options of [{ model: "big" }, { system: "" }, { temperature: 0 }, { mcpServers: [] }, { provider: "x" }])
      expect(ask(options)).toThrow("does not choose");
    expect(ask({}, KEY)).toThrow("does not choose");
  });
});
