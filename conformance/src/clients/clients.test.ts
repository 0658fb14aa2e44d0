import { checkStream, type StreamChunk } from "@agent-ops/ai-sdk/stream-checker";
import type { LogPayload } from "@agent-ops/shared/events";
import { describe, expect, test } from "vitest";
import { type ChatClient, type ClientVersion, createClient, partsOf } from "./create-client.ts";
import { scriptedSession } from "./scripted-session.ts";

const turnId = "turn-1";
const args = { command: "ls" };
const create: LogPayload = { type: "message.create", turnId };
const done: LogPayload = { type: "message.finalize", turnId, reason: "end_turn" };
const text = (delta: string): LogPayload => ({ type: "message.part.text-delta", turnId, delta });
const tool = (callId: string, update: object): LogPayload => ({
  type: "message.part.tool-update",
  turnId,
  callId,
  toolName: "bash",
  status: "running",
  ...update,
});
const ask = (callId: string): LogPayload => ({
  type: "question",
  turnId,
  questionId: `ask-${callId}`,
  kind: "approval",
  prompt: "May I?",
  callId,
  toolName: "bash",
});

function open(version: ClientVersion, script: LogPayload[], approvals?: "native"): ChatClient {
  const session = scriptedSession(turnId, [create, ...script], approvals ?? "question");
  return createClient(version, { api: "http://test/api/chat", chatId: "chat-1", approvals, fetch: session });
}

/** The whole of what the client got, stream after stream, keeps to the rules. */
async function expectSound(client: ChatClient): Promise<void> {
  expect(await client.frameProblems()).toEqual([]);
  let before: StreamChunk[] = [];
  for (const { frames } of client.exchanges) {
    const chunks: StreamChunk[] = frames.filter((frame) => frame !== "[DONE]").map((frame) => JSON.parse(frame));
    expect(checkStream(chunks, before)).toEqual([]);
    before = [...before, ...chunks];
  }
  await client.validateHistory();
}

function replyOf(client: ChatClient): string[] {
  expect(client.messages.map((message) => message.role)).toEqual(["user", "assistant"]);
  const reply = client.messages[1];
  expect(reply?.id).toBe(turnId);
  return reply ? partsOf(reply) : [];
}

describe.each<ClientVersion>(["5", "5-strict", "6", "7"])("SDK %s", (version) => {
  test("TR4 text and tools keep their order", async () => {
    const client = open(version, [
      { type: "agentStatus", turnId, status: "thinking" },
      { type: "message.part.reasoning-delta", turnId, delta: "hm" },
      text("I will "),
      text("look."),
      tool("1", { status: "pending", argsDelta: '{"command":' }),
      tool("1", { args, result: "a", preliminary: true }),
      tool("1", { status: "completed", result: "ab" }),
      text("Two files."),
      { type: "message.step", turnId },
      tool("2", { args, status: "error", error: "no" }),
      ask("2"),
      text("Done."),
      done,
    ]);
    await client.send("hi");
    await expectSound(client);
    expect(replyOf(client)).toEqual([
      "step-start",
      "reasoning:done",
      "text:done",
      "dynamic-tool:output-available",
      "text:done",
      "step-start",
      "dynamic-tool:output-error",
      "data-question",
      "text:done",
    ]);
    expect(client.status).toBe("ready");
    expect(client.exchanges).toHaveLength(1);
  });

  test("TR9 an error leaves the partial message and its reason", async () => {
    const client = open(version, [
      text("a"),
      tool("1", { args }),
      { type: "error", turnId, message: "The agent died." },
    ]);
    await client.send("hi");
    await client.waitUntilReady();
    await expectSound(client);
    expect(client.status).toBe("error");
    expect(client.error?.message).toBe("The agent died.");
    expect(replyOf(client)).toEqual(["step-start", "text:done", "dynamic-tool:output-error"]);
    expect(client.messages[1]?.metadata).toEqual({ error: "The agent died." });
  });

  test("TR9 a canceled turn says so", async () => {
    const client = open(version, [text("a"), { ...done, reason: "canceled" }]);
    await client.send("hi");
    await expectSound(client);
    expect(client.status).toBe("ready");
    expect(client.messages[1]?.metadata).toEqual({ canceled: true });
  });

  test("SSE2 a result with keys that clients refuse reaches them without these", async () => {
    const result = JSON.parse('{"__proto__": {"a": 1}, "constructor": {"prototype": 1}, "x": [{"__proto__": 2}]}');
    const client = open(version, [tool("1", { args, status: "completed", result }), done]);
    await client.send("hi");
    expect(client.error).toBeUndefined();
    expect(client.messages[1]?.parts[1]).toMatchObject({ output: { x: [{}] } });
  });
});

describe.each<ClientVersion>(["6", "7"])("SDK %s, native approvals", (version) => {
  test("TR16 approved: the same message goes on, and nothing is posted twice", async () => {
    const end = [tool("1", { status: "completed", result: "ok" }), text("Done."), done];
    const client = open(version, [text("May I?"), tool("1", { args }), ask("1"), ...end], "native");
    await client.send("hi");
    expect(replyOf(client)).toEqual(["step-start", "text:done", "dynamic-tool:approval-requested", "data-question"]);
    await client.answerApproval({ id: "ask-1", approved: true });
    await client.waitUntilReady();
    expect(replyOf(client)).toEqual([
      "step-start",
      "text:done",
      "dynamic-tool:output-available",
      "data-question",
      "step-start",
      "text:done",
    ]);
    expect(client.exchanges).toHaveLength(2);
    await expectSound(client);
  });

  test("TR16 refused: the output is denied", async () => {
    const end = [tool("1", { status: "error", error: "refused" }), text("Then not."), done];
    const client = open(version, [tool("1", { args }), ask("1"), ...end], "native");
    await client.send("hi");
    await client.answerApproval({ id: "ask-1", approved: false });
    await client.waitUntilReady();
    expect(replyOf(client)).toEqual([
      "step-start",
      "dynamic-tool:output-denied",
      "data-question",
      "step-start",
      "text:done",
    ]);
    expect(client.exchanges).toHaveLength(2);
    await expectSound(client);
  });

  test("TR16 a call that runs beside it does not keep the answer back", async () => {
    const end = [
      tool("2", { status: "completed", result: "two" }),
      tool("1", { status: "completed", result: "one" }),
      done,
    ];
    const beside = [tool("2", { args }), tool("3", { args, result: "some", preliminary: true })];
    const client = open(version, [...beside, tool("1", { args }), ask("1"), ...end], "native");
    await client.send("hi");
    await client.answerApproval({ id: "ask-1", approved: true });
    await client.waitUntilReady();
    expect(client.messages[1]?.parts).toMatchObject([
      { type: "step-start" },
      { toolCallId: "2", state: "output-available", output: "two" },
      { toolCallId: "3", state: "output-error" },
      { toolCallId: "1", state: "output-available", output: "one" },
      { type: "data-question" },
    ]);
    expect(client.exchanges).toHaveLength(2);
    await expectSound(client);
  });

  test("TR16 two approvals of one step are answered one after the other", async () => {
    const end = [tool("1", { status: "completed" }), tool("2", { status: "completed" }), text("Done."), done];
    const client = open(version, [tool("1", { args }), tool("2", { args }), ask("1"), ask("2"), ...end], "native");
    await client.send("hi");
    await client.answerApproval({ id: "ask-1", approved: true });
    await client.waitUntilReady();
    await client.answerApproval({ id: "ask-2", approved: true });
    await client.waitUntilReady();
    expect(replyOf(client).filter((part) => part.startsWith("dynamic-tool"))).toEqual([
      "dynamic-tool:output-available",
      "dynamic-tool:output-available",
    ]);
    expect(client.exchanges).toHaveLength(3);
    await expectSound(client);
  });

  test("TR16 an approved call that never answers ends with the turn", async () => {
    const client = open(version, [tool("1", { args }), ask("1"), done], "native");
    await client.send("hi");
    await client.answerApproval({ id: "ask-1", approved: true });
    await client.waitUntilReady();
    expect(replyOf(client)).toEqual(["step-start", "dynamic-tool:output-error", "data-question"]);
    expect(client.exchanges).toHaveLength(2);
    await expectSound(client);
  });
});
