import { type ClientBoundEvent, hasSeq } from "@agent-ops/shared/events";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ApiError } from "../src/lib/api-error.ts";
import { type Connection, SessionSocket } from "../src/lib/session-socket.ts";
import { FakeSession, FakeWebSocket } from "./fake-session.ts";

let session: FakeSession;
let events: ClientBoundEvent[];
let connections: Connection[];
let ticket: () => Promise<string>;
let socket: SessionSocket;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", FakeWebSocket);
  session = new FakeSession();
  events = [];
  connections = [];
  let tickets = 0;
  ticket = async () => `ticket-${++tickets}`;
  socket = newSocket();
});

afterEach(() => {
  socket.stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function newSocket(): SessionSocket {
  return new SessionSocket({
    ticket: () => ticket(),
    url: (value, cursor) => {
      const place = cursor ? `&since=${cursor.seq}&generation=${cursor.generation}` : "";
      return `ws://host/ws?ticket=${value}${place}`;
    },
    onEvents: (received) => events.push(...received),
    onConnection: (connection) => connections.push(connection),
    random: () => 1,
  });
}

const settle = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
const seqs = () => events.filter((event) => hasSeq(event)).map((event) => event.seq);
const acks = () => session.reader.sent.filter((command) => command.type === "ack").map((command) => command.seq);
const query = (name: string) => session.reader.url.searchParams.get(name);
const texts = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `title ${from + at}`);

async function start(): Promise<void> {
  socket.start();
  await settle();
}

describe("LOG6: nothing is lost and nothing is doubled", () => {
  test("the first connection takes an init, a later one exactly what was missed", async () => {
    await start();
    expect(query("ticket")).toBe("ticket-1");
    expect(query("since")).toBeNull();
    session.say("a", "b");
    session.reader.close();
    await settle();
    session.log.push({ type: "title", title: "while away", seq: 3, ts: 0 });
    await settle(250);
    expect(query("ticket")).toBe("ticket-2");
    expect(query("since")).toBe("2");
    expect(query("generation")).toBe("1");
    expect(seqs()).toEqual([1, 2, 3]);
  });

  test("nothing is sent on a connection that is closing", async () => {
    await start();
    const { reader } = session;
    reader.close();
    expect(socket.send({ type: "ping" })).toBe(false);
    expect(reader.sent).toEqual([]);
  });

  test("wherever the connection is cut", async () => {
    const count = 12;
    for (let cut = 0; cut <= count; cut++) {
      session = new FakeSession();
      events = [];
      const before = texts(cut);
      const after = texts(count - cut, cut);
      await start();
      if (before.length > 0) session.say(...before);
      session.reader.close();
      await settle(500);
      if (after.length > 0) session.say(...after);
      expect(seqs()).toEqual(Array.from({ length: count }, (_, at) => at + 1));
      socket.stop();
      socket = newSocket();
    }
  });

  test("events that come twice are passed on once", async () => {
    await start();
    session.say("a", "b");
    session.reader.deliver(...session.log);
    expect(seqs()).toEqual([1, 2]);
  });

  test("a gap is asked for again", async () => {
    await start();
    session.say("a");
    session.log.push({ type: "title", title: "lost", seq: 2, ts: 0 }, { type: "title", title: "c", seq: 3, ts: 0 });
    session.reader.deliver(session.log[2]);
    expect(seqs()).toEqual([1]);
    await settle(250);
    expect(query("since")).toBe("1");
    expect(seqs()).toEqual([1, 2, 3]);
  });

  test("LOG5: a rewind starts again from a fresh init", async () => {
    await start();
    session.say("a", "b");
    session.generation = 2;
    session.log.length = 1;
    session.reader.deliver({ type: "rewind", generation: 2, seq: 1 });
    await settle(250);
    expect(query("since")).toBeNull();
    expect(events.at(-1)).toMatchObject({ type: "init", generation: 2, seq: 1 });
    session.say("again");
    expect(seqs()).toEqual([1, 2, 2]);
  });

  test("a frame that is not JSON is ignored", async () => {
    await start();
    session.reader.onmessage?.({ data: "{" });
    session.say("a");
    expect(seqs()).toEqual([1]);
  });
});

describe("LOG8: acknowledgements", () => {
  test("at once after 200 events", async () => {
    await start();
    session.say(...texts(199));
    expect(acks()).toEqual([]);
    session.say("one more");
    expect(acks()).toEqual([200]);
  });

  test("250 ms after the first of a few", async () => {
    await start();
    session.say("a");
    await settle(200);
    session.say("b");
    await settle(49);
    expect(acks()).toEqual([]);
    await settle(1);
    expect(acks()).toEqual([2]);
    await settle(1_000);
    expect(acks()).toEqual([2]);
  });

  test("at once when the session asks", async () => {
    await start();
    session.say("a");
    session.reader.deliver({ type: "error", code: "ack_required", message: "Too much." });
    expect(acks()).toEqual([1]);
  });
});

describe("connections", () => {
  const waits = () => connections.flatMap((entry) => (entry.kind === "waiting" ? [entry.retryAt - Date.now()] : []));

  test("live with the greeting, and only then able to send", async () => {
    expect(socket.send({ type: "ping" })).toBe(false);
    await start();
    expect(connections).toEqual([{ kind: "connecting" }, { kind: "live" }]);
    expect(socket.send({ type: "ping" })).toBe(true);
    expect(session.reader.sent).toEqual([{ type: "ping" }]);
  });

  test("waits longer each time, up to ten seconds", async () => {
    ticket = async () => {
      throw new ApiError(0, "network", "The server cannot be reached.");
    };
    await start();
    const delays: number[] = [];
    for (let attempt = 0; attempt < 8; attempt++) {
      const delay = waits().at(-1) ?? 0;
      delays.push(delay);
      await settle(delay);
    }
    expect(delays).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  });

  test("can be told not to wait", async () => {
    await start();
    session.reader.close();
    await settle();
    expect(connections.at(-1)?.kind).toBe("waiting");
    socket.retryNow();
    await settle();
    expect(connections.at(-1)?.kind).toBe("live");
  });

  test.each([
    [401, "unauthorized"],
    [404, "no_access"],
  ])("a ticket refused with %i ends the attempts", async (status, reason) => {
    ticket = async () => {
      throw new ApiError(status, "refused", "No.");
    };
    await start();
    await settle(60_000);
    expect(connections).toEqual([{ kind: "connecting" }, { kind: "closed", reason }]);
  });

  test("one that says nothing, not even pong, is given up", async () => {
    await start();
    await settle(15_000);
    expect(session.reader.sent).toEqual([{ type: "ping" }]);
    session.reader.deliver({ type: "pong" });
    await settle(15_000);
    expect(FakeWebSocket.opened).toHaveLength(1);
    await settle(15_000 + 250);
    expect(FakeWebSocket.opened).toHaveLength(2);
  });

  test("one that never greets is given up", async () => {
    FakeWebSocket.accept = () => undefined;
    await start();
    await settle(10_000 + 250);
    expect(FakeWebSocket.opened).toHaveLength(2);
  });

  test("stopped means stopped", async () => {
    await start();
    const { reader } = session;
    socket.stop();
    reader.deliver({ type: "title", title: "late", seq: 1, ts: 0 });
    await settle(60_000);
    expect(reader.isOpen).toBe(false);
    expect(seqs()).toEqual([]);
    expect(FakeWebSocket.opened).toHaveLength(1);
  });
});
