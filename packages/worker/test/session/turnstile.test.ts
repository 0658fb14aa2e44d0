import { AppError } from "@agent-ops/shared/errors";
import { LIMITS } from "@agent-ops/shared/limits";
import { describe, expect, it } from "vitest";
import { chat, resume } from "../../src/durable-objects/session/chat-desk.ts";
import { ChatSockets } from "../../src/durable-objects/session/chat-socket.ts";
import { Turnstile } from "../../src/durable-objects/session/turnstile.ts";
import { ManualClock } from "../manual-clock.ts";
import { OPTIONS, OWNER, TestSession } from "../support/test-session.ts";

const NEVER = Number.POSITIVE_INFINITY;
const ANN = { user: OWNER, expiresAt: NEVER };
const VISITOR = {
  user: "widget:v",
  expiresAt: NEVER,
  widget: { sessionId: "ses_1", origin: "https://x.example", by: OWNER },
};

async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
  return "done";
}

function codes(work: () => unknown, times: number): Promise<string[]> {
  return Promise.all(Array.from({ length: times }, () => codeOf(work)));
}

describe("LIM3: what a visitor reads", () => {
  it("LIM3: is ten times what they may do, a minute", async () => {
    const clock = new ManualClock();
    const turnstile = new Turnstile({ clock, actsPerSecond: 1, widgetActsPerMinute: 3 });
    const read = () => turnstile.read(VISITOR);
    expect(new Set(await codes(read, 30))).toEqual(new Set(["done"]));
    expect(await codeOf(read)).toBe("rate_limited");
    expect(new Set(await codes(() => turnstile.read(ANN), 50))).toEqual(new Set(["done"]));
    clock.advance(2000);
    expect(await codes(read, 2)).toEqual(["done", "rate_limited"]);
  });

  it("LIM3: takes ten streams at once; one that ends makes room, and members have their own", async () => {
    const session = new TestSession();
    const { turnId } = session.startTurn();
    const open = (by = VISITOR) => resume(session.room, by, { chatId: turnId, options: OPTIONS });
    const streams = await Promise.all(Array.from({ length: LIMITS.widgetStreams }, () => open()));
    expect(await codeOf(open)).toBe("too_many");
    const prompt = { id: "p2", text: "hi" };
    const ask = () => chat(session.room, VISITOR, { kind: "prompt", prompt, edits: false, options: OPTIONS });
    expect(await codeOf(ask)).toBe("too_many");
    expect(session.room.turns.queue).toEqual([]);
    expect(await codeOf(() => resume(session.room, ANN, { chatId: turnId, options: OPTIONS }))).toBe("done");
    await streams[0]?.body?.cancel();
    expect(await codes(open, 2)).toEqual(["done", "too_many"]);
  });

  it("LIM3, SSE9: those they wait for count as well, until the wait is over", async () => {
    const session = new TestSession();
    const wait = () => resume(session.room, VISITOR, { chatId: "chat", waitSeconds: 25, options: OPTIONS });
    const waiting = Array.from({ length: LIMITS.widgetStreams }, wait);
    expect(await codeOf(wait)).toBe("too_many");
    session.clock.advance(25_000);
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([undefined]));
    expect(await codeOf(() => resume(session.room, VISITOR, { chatId: "chat", options: OPTIONS }))).toBe("done");
  });
});

describe("LIM2: the streams of a session", () => {
  it("LIM2: are 10,000 at the most", () => {
    const { room } = new TestSession();
    const places = Array.from({ length: LIMITS.streams }, () => room.turnstile.enter(ANN));
    expect(() => room.turnstile.enter(ANN)).toThrow("10000");
    places[0]?.();
    places[0]?.();
    room.turnstile.enter(ANN);
    expect(() => room.turnstile.enter(ANN)).toThrow("10000");
  });

  it("ACL2, SSE9: whoever waits for a turn is told at once that the session was deleted", async () => {
    const session = new TestSession();
    const waiting = codeOf(() => resume(session.room, ANN, { chatId: "chat", waitSeconds: 25, options: OPTIONS }));
    session.room.close();
    expect(await waiting).toBe("not_found");
  });
});

describe("LIM8: requests on one chat socket", () => {
  it("LIM8: are 32 at once, each with an id of its own", async () => {
    const session = new TestSession();
    const { turnId } = session.startTurn();
    const chats = new ChatSockets(session.room);
    const sent: { type: string; requestId: string; errorText?: string }[] = [];
    const socket = { send: (text: string) => void sent.push(JSON.parse(text)), close: () => undefined };
    const ask = (requestId: string) =>
      void chats.onFrame(socket, ANN, JSON.stringify({ type: "resume", requestId, id: turnId, headers: {}, body: {} }));
    const told = (type: string) => sent.filter((frame) => frame.type === type).map(({ requestId }) => requestId);
    for (let count = 0; count < LIMITS.chatSocketRequests; count++) {
      ask(`r${count}`);
      await expect.poll(() => told("start")).toHaveLength(count + 1);
    }
    ask("one-more");
    await expect.poll(() => told("error")).toEqual(["one-more"]);
    ask("r0");
    await expect.poll(() => told("error")).toEqual(["one-more", "r0"]);
    await chats.onClose(socket);
  });
});
