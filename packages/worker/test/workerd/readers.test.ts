import type { UnknownEvent } from "@agent-ops/shared/events";
import { LIMITS } from "@agent-ops/shared/limits";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Caller, newUser } from "./support/api.ts";
import { FakeHost, type FakeRunner, type Item, openReader, type TestSocket } from "./support/sockets.ts";

const text = (turnId: string, delta: string): UnknownEvent => ({ type: "message.part.text-delta", turnId, delta });

function logged(received: readonly Item[]): Item[] {
  return received.filter((entry) => "seq" in entry && "ts" in entry);
}

describe("sockets", () => {
  let host: FakeHost;
  let ann: Caller;
  let session: string;
  let reader: TestSocket;

  beforeEach(async () => {
    host = await FakeHost.join();
    ann = newUser("ann");
    session = await ann.createSession();
    reader = await openReader(session, ann.user, "?since=0");
  });
  afterEach(() => {
    reader.close();
    host.leave();
  });

  async function begin(): Promise<{ runner: FakeRunner; turnId: string }> {
    reader.send({ type: "prompt", id: crypto.randomUUID(), text: "hello" });
    const { turnId } = await reader.next("accepted");
    const runner = await host.runner(session);
    runner.send({ type: "message.create", turnId: String(turnId) });
    return { runner, turnId: String(turnId) };
  }

  /** Everything the reader got once an event of this type came. */
  async function whole(type: string, socket = reader): Promise<Item[]> {
    await socket.next(type);
    socket.send({ type: "ping" });
    await socket.next("pong");
    return logged(socket.received);
  }

  it("LOG1, LOG6, EV2: a reader with since gets hello and exactly what it missed, from every seq", async () => {
    const { runner, turnId } = await begin();
    runner.send(...["a", "b", "c"].map((delta) => text(turnId, delta)));
    runner.send({ type: "message.finalize", turnId, reason: "end_turn" });
    await runner.stored();
    await reader.until((received) => received.find((entry) => entry.type === "status" && entry.status === "ready"));
    const log = await whole("message.finalize");
    expect(log.map((event) => event.seq)).toEqual(log.map((_, index) => index + 1));
    for (const since of log.keys()) {
      const late = await openReader(session, ann.user, `?since=${since}`);
      expect(await late.next("hello")).toMatchObject({ seq: since });
      const last = log.at(-1)?.seq;
      await late.until((received) => received.find((entry) => entry.seq === last && "ts" in entry));
      expect(logged(late.received)).toEqual(log.slice(since));
      late.close();
    }
  });

  it("LOG6: without since it gets init with the turn so far, then what follows", async () => {
    const { runner, turnId } = await begin();
    runner.send(text(turnId, "so far"));
    await reader.next("message.part.text-delta");
    const late = await openReader(session, ann.user);
    const init = await late.next("init");
    expect(init).toMatchObject({ activeTurnId: turnId, session: { id: session, role: "owner", status: "running" } });
    expect(JSON.stringify(init.messages)).toContain("so far");
    runner.send(text(turnId, "more"));
    expect(await late.next("message.part.text-delta")).toMatchObject({ delta: "more", seq: Number(init.seq) + 1 });
    late.close();
  });

  it("EV3: an event of an unknown type passes through as it came", async () => {
    const { runner } = await begin();
    const mystery = { type: "mystery", list: [1, { deep: null }], text: "\ud800" };
    runner.send(mystery);
    expect(await reader.next("mystery")).toEqual({ ...mystery, seq: expect.any(Number), ts: expect.any(Number) });
  });

  it.each(["", "{", "nonsense", "7", "null", '"text"', "[7]", '{"type":"mystery"}', '{"type":"prompt","id":1}'])(
    "EV4, EV5: the frame %j from a reader gets an error, and the socket stays up",
    async (frame) => {
      reader.sendText(frame);
      expect(await reader.next("error")).toMatchObject({ code: expect.stringMatching(/^bad_/) });
      reader.send([{ type: "ping" }]);
      await reader.next("pong");
    },
  );

  it("EV5: a reader's frame of more than 1 MB and one that is binary get an error, and the socket stays up", async () => {
    reader.send({ type: "prompt", id: "p1", text: "x".repeat(LIMITS.frameBytes) });
    await reader.next("error");
    const { length } = reader.received;
    reader.sendText(new TextEncoder().encode('{"type":"ping"}'));
    await reader.next("error", length);
    reader.send({ type: "ping" });
    await reader.next("pong");
  });

  it.each(["", "{", "7", "[null]", '{"epoch":1}', '{"epoch":1,"seq":1,"events":[{"no":"type"}]}'])(
    "EV4, EV5: the frame %j from a runner gets an error, and the socket stays up",
    async (frame) => {
      const { runner, turnId } = await begin();
      runner.socket.sendText(frame);
      await runner.socket.next("error");
      runner.send(text(turnId, "still here"));
      expect(await reader.next("message.part.text-delta")).toMatchObject({ delta: "still here" });
    },
  );

  it("EV4: a known event with a wrong shape gets an error, its neighbours arrive", async () => {
    const { runner, turnId } = await begin();
    runner.send(text(turnId, "a"), { type: "message.part.text-delta", turnId, delta: 5 }, text(turnId, "b"));
    await runner.socket.next("error");
    await reader.until((received) => received.find((entry) => entry.delta === "b"));
    expect(reader.received.flatMap((entry) => entry.delta ?? [])).toEqual(["a", "b"]);
    await runner.stored();
  });

  it("EV5: a runner's frame of more than 1 MB is refused, and the socket stays up", async () => {
    const { runner, turnId } = await begin();
    const large = text(turnId, "x".repeat(LIMITS.frameBytes));
    runner.socket.send({ epoch: runner.epoch, seq: runner.seq + 1, events: [large] });
    runner.socket.send({ type: "ping" });
    await runner.socket.next("pong");
    expect(runner.socket.received.filter((entry) => entry.type === "error")).toHaveLength(1);
    runner.send(text(turnId, "small"));
    expect(await reader.next("message.part.text-delta")).toMatchObject({ delta: "small" });
  });

  it("EV4: events that are nested very deeply harm none of their neighbours", async () => {
    const { runner, turnId } = await begin();
    const deep = "[".repeat(200_000) + "]".repeat(200_000);
    const [before, after] = ["a", "b"].map((delta) => JSON.stringify(text(turnId, delta)));
    const tool = `"turnId":"${turnId}","callId":"c1","toolName":"bash","status":"completed"`;
    const strange = [
      `{"type":"mystery","deep":${deep}}`,
      `{"type":"message.part.tool-update",${tool},"result":${deep}}`,
    ];
    for (const event of strange) {
      const { length } = reader.received;
      const events = `[${before},${event},${after}]`;
      runner.sendText(events, 3);
      await reader.until((received) => received.slice(length).find((entry) => entry.delta === "b"));
    }
    expect(reader.received.flatMap((entry) => entry.delta ?? [])).toEqual(["a", "b", "a", "b"]);
    await runner.stored();
  });

  it("ACL6: people who come and go are told to the others", async () => {
    const second = await openReader(session, ann.user);
    await reader.until((received) =>
      received.find(
        (entry) => entry.type === "user.joined" && JSON.stringify(entry.people).includes('"connections":2'),
      ),
    );
    second.close();
    expect(await reader.next("user.left")).toMatchObject({ people: [{ userId: ann.user, connections: 1 }] });
  });

  it("ACL7: whoever is removed loses their sockets at once, and the others lose nothing", async () => {
    const { runner, turnId } = await begin();
    const bob = newUser("bob");
    await ann.fetch(`/api/sessions/${session}/members/${bob.user}`, { method: "PUT", body: { role: "viewer" } });
    const theirs = await openReader(session, bob.user);
    await theirs.next("init");
    await ann.fetch(`/api/sessions/${session}/members/${bob.user}`, { method: "DELETE" });
    runner.send(text(turnId, "secret"));
    expect(await theirs.untilClosed()).toBe(4404);
    await reader.until((received) => received.find((entry) => entry.delta === "secret"));
    expect(JSON.stringify(theirs.received)).not.toContain("secret");
  });

  it("RUN7: a runner's ping is answered", async () => {
    const { runner } = await begin();
    runner.socket.send({ type: "ping" });
    await runner.socket.next("pong");
  });
});
