import { DONE_FRAME, encodeFrame } from "@agent-ops/ai-sdk/sse";
import type { UnknownEvent } from "@agent-ops/shared/events";
import { LIMITS } from "@agent-ops/shared/limits";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chunksOf, chunksOfTurn, withoutTransient } from "../support/sse.ts";
import { type Caller, newUser, refusal } from "./support/api.ts";
import { FakeHost, type FakeRunner } from "./support/sockets.ts";

function turnOf(turnId: string): UnknownEvent[] {
  const tool = { type: "message.part.tool-update", turnId, callId: "c1", toolName: "bash" };
  return [
    { type: "message.create", turnId },
    { type: "agentStatus", turnId, status: "thinking" },
    { type: "message.part.reasoning-delta", turnId, delta: "hm" },
    { type: "message.part.text-delta", turnId, delta: "Hello \u{1f600} " },
    { type: "message.part.text-delta", turnId, delta: "data: x\n\n\ud83d" },
    { ...tool, status: "running", args: { command: "ls" } },
    { ...tool, status: "completed", result: { files: ["a"] } },
    { type: "message.step", turnId },
    { type: "message.part.text-delta", turnId, delta: "done" },
    { type: "message.finalize", turnId, reason: "end_turn" },
  ];
}

function bodyOf(turnId: string, events: readonly UnknownEvent[]): string {
  return chunksOfTurn(turnId, events)
    .map((chunk) => encodeFrame(chunk))
    .join("")
    .concat(DONE_FRAME);
}

describe("the chat route", () => {
  let host: FakeHost;
  let ann: Caller;
  let session: string;

  beforeEach(async () => {
    host = await FakeHost.join();
    ann = newUser("ann");
    session = await ann.createSession();
  });
  afterEach(() => host.leave());

  /** A turn that began, its stream, and its runner. */
  async function begin(
    text = "hello",
    id?: string,
  ): Promise<{ response: Response; runner: FakeRunner; turnId: string }> {
    const response = await ann.chat(session, text, id);
    const runner = await host.runner(session);
    return { response, runner, turnId: await runner.prompt() };
  }

  it("SSE2, TR1: the body is the turn's chunks as frames, byte for byte, then [DONE]", async () => {
    const { response, runner, turnId } = await begin();
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    expect(response.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
    const events = turnOf(turnId);
    for (const event of events) runner.send(event);
    expect(await response.text()).toBe(bodyOf(turnId, events));
  });

  it("SSE2: each delta arrives as it is said, not at the end", async () => {
    const { response, runner, turnId } = await begin();
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    runner.send({ type: "message.create", turnId });
    for (const delta of ["one", "two", "three"]) {
      runner.send({ type: "message.part.text-delta", turnId, delta });
      let seen = "";
      while (!seen.includes(`"delta":"${delta}"`)) seen += (await reader?.read())?.value ?? "";
    }
    await reader?.cancel();
  });

  it("SSE6: a late reader gets the turn from its start and then live, as the first one does", async () => {
    const { response, runner, turnId } = await begin();
    const events = turnOf(turnId);
    runner.send(...events.slice(0, 5));
    await runner.stored();
    const late = await ann.fetch(`/api/sessions/${session}/chat/chat-1/stream`);
    runner.send(...events.slice(5));
    const [first, second] = await Promise.all([response.text(), late.text()]);
    expect(first).toBe(bodyOf(turnId, events));
    expect(withoutTransient(chunksOf(second))).toEqual(withoutTransient(chunksOf(first)));
  });

  it("TURN2, SSE4: the same POST again joins the turn, while it runs and after it ended", async () => {
    const { response, runner, turnId } = await begin("hello", "message-1");
    const joined = await ann.chat(session, "hello", "message-1");
    const events = turnOf(turnId);
    runner.send(...events);
    const bodies = await Promise.all([response.text(), joined.text()]);
    const after = await (await ann.chat(session, "hello", "message-1")).text();
    const chunks = withoutTransient(chunksOfTurn(turnId, events));
    for (const body of [...bodies, after]) expect(withoutTransient(chunksOf(body))).toEqual(chunks);
    expect(await refusal(await ann.chat(session, "something else", "message-1"))).toBe("409 conflict true");
    expect(runner.socket.received.filter((entry) => entry.type === "prompt")).toHaveLength(1);
  });

  it("TURN1: a second prompt waits for the first and then gets its own turn", async () => {
    const { response, runner, turnId } = await begin("first");
    const waiting = await ann.chat(session, "second");
    expect(waiting.status).toBe(200);
    runner.send(...turnOf(turnId));
    await response.text();
    const next = await runner.socket.until((received) =>
      received.find((entry) => entry.type === "prompt" && entry.turnId !== turnId),
    );
    const events = turnOf(String(next.turnId));
    runner.send(...events);
    expect(withoutTransient(chunksOf(await waiting.text()))).toEqual(
      withoutTransient(chunksOfTurn(String(next.turnId), events)),
    );
  });

  it("TURN1: 50 prompts wait, the 51st is refused with 429", async () => {
    const { turnId, runner, response } = await begin();
    const streams = [];
    for (let count = 0; count < LIMITS.queueLength; count++) streams.push(await ann.chat(session, `p${count}`));
    expect(await refusal(await ann.chat(session, "one more"))).toBe("429 queue_full true");
    runner.send(...turnOf(turnId));
    await response.text();
    await Promise.all(streams.map((stream) => stream.body?.cancel()));
  });

  it("TURN6: abort reaches the agent, and the stream ends as canceled", async () => {
    const { response, runner, turnId } = await begin();
    runner.send({ type: "message.create", turnId });
    expect((await ann.post(`/api/sessions/${session}/abort`)).status).toBe(202);
    expect((await runner.socket.next("abort")).turnId).toBe(turnId);
    runner.send({ type: "message.finalize", turnId, reason: "canceled" });
    const chunks = chunksOf(await response.text());
    expect(chunks.slice(-2).map((chunk) => chunk.type)).toEqual(["abort", "finish"]);
    expect(await refusal(await ann.post(`/api/sessions/${session}/abort`))).toBe("409 nothing_running true");
  });

  it("Q2, Q3: an answer over the route reaches the agent once", async () => {
    const { response, runner, turnId } = await begin();
    const path = `/api/sessions/${session}/questions/q1`;
    expect(await refusal(await ann.post(path, { approved: true }))).toBe("404 not_found true");
    runner.send(
      { type: "message.create", turnId },
      { type: "question", turnId, questionId: "q1", kind: "approval", prompt: "May I?" },
    );
    await runner.stored();
    expect(await refusal(await ann.post(path, { value: "yes" }))).toBe("400 bad_answer true");
    const both = await Promise.all([ann.post(path, { approved: true }), ann.post(path, { approved: false })]);
    expect(both.map((answer) => answer.status).toSorted()).toEqual([200, 409]);
    const told = await runner.socket.next("answer");
    const winner = both.findIndex((answer) => answer.status === 200);
    expect(told.answer).toEqual({ approved: winner === 0 });
    runner.send({ type: "message.finalize", turnId, reason: "end_turn" });
    expect(chunksOf(await response.text()).map((chunk) => chunk.type)).toContain("data-question");
  });

  it("SSE8: resumes by index end with the turn, those without such a place with an error, and the session goes on", async () => {
    const { response, runner, turnId } = await begin();
    runner.send({ type: "message.create", turnId });
    await runner.stored();
    const resume = (index: number) => ann.fetch(`/api/sessions/${session}/chat/c/stream?startIndex=${index}`);
    const [inside, atEnd, beyond] = await Promise.all([resume(1), resume(3), resume(99)]);
    runner.send({ type: "message.finalize", turnId, reason: "end_turn" });
    const chunks = chunksOf(await response.text());
    expect(chunks).toHaveLength(4);
    expect(chunksOf((await inside?.text()) ?? "")).toEqual(chunks.slice(1));
    expect(chunksOf((await atEnd?.text()) ?? "")).toEqual(chunks.slice(3));
    expect(chunksOf((await beyond?.text()) ?? "")).toMatchObject([{ type: "error" }]);
    expect(await (await ann.fetch(`/api/sessions/${session}`)).json()).toMatchObject({ status: "ready" });
  });

  it("TR9, SSE3: an agent's error ends the stream with an error chunk, and the session goes on", async () => {
    const { response, runner, turnId } = await begin();
    runner.send({ type: "message.finalize", turnId, reason: "error", error: "It broke." });
    expect(chunksOf(await response.text()).at(-1)).toEqual({ type: "error", errorText: "It broke." });
    const again = await ann.chat(session, "again");
    const next = await runner.socket.until((received) =>
      received.find((entry) => entry.type === "prompt" && entry.turnId !== turnId),
    );
    runner.send(...turnOf(String(next.turnId)));
    expect(chunksOf(await again.text()).at(-1)?.type).toBe("finish");
  });
});
