import type { LogPayload } from "@agent-ops/shared/events";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ChatClient, type ClientVersion, createClient } from "./create-client.ts";
import { scriptedSession } from "./scripted-session.ts";

const turnId = "turn-1";
const callId = fc.constantFrom("call-1", "call-2", "call-3");
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const event: fc.Arbitrary<LogPayload> = fc.oneof(
  fc.record({ type: fc.constant("message.part.text-delta"), turnId: fc.constant(turnId), delta: fc.constant("a") }),
  fc.record({ type: fc.constant("message.step"), turnId: fc.constant(turnId) }),
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("message.part.tool-update"),
      turnId: fc.constant(turnId),
      callId,
      toolName: fc.constant("bash"),
      status: fc.constantFrom("pending", "running", "running", "completed", "error"),
      args: maybe(fc.constantFrom({ a: 1 }, { a: 2 })),
      argsDelta: maybe(fc.constant("{")),
      result: maybe(fc.constant("out")),
      preliminary: maybe(fc.constant(true)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({ type: fc.constant("question"), turnId: fc.constant(turnId), callId, questionId: fc.uuid() })
      .map((asked) => ({ ...asked, kind: "approval", prompt: "May I?", toolName: "bash" })),
  },
);
const turn = fc
  .array(event, { maxLength: 15 })
  .map((events): LogPayload[] => [...events, { type: "message.finalize", turnId, reason: "end_turn" }]);

type ToolPart = { type: string; state?: string; toolCallId?: string; approval?: { id: string } };

function waiting(client: ChatClient): ToolPart[] {
  const parts: readonly ToolPart[] = client.messages[1]?.parts ?? [];
  return parts.filter((part) => part.state === "approval-requested");
}

/** Answers what is asked until nothing is; an answer that the client keeps to itself would leave the agent waiting. */
async function answerAll(client: ChatClient, approves: readonly boolean[]): Promise<void> {
  for (let answers = 0; waiting(client).length > 0; answers += 1) {
    const requests = client.exchanges.length;
    for (const part of waiting(client)) {
      await client.answerApproval({
        id: part.approval?.id ?? "",
        approved: approves[answers % approves.length] ?? true,
      });
    }
    await client.waitUntilReady();
    expect(client.exchanges.length).toBeGreaterThan(requests);
  }
}

describe.each<ClientVersion>(["6", "7"])("SDK %s", (version) => {
  test("TR16 whatever is asked and when, every answer is posted and the message ends whole", async () => {
    await fc.assert(
      fc.asyncProperty(turn, fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }), async (script, approves) => {
        const session = scriptedSession(turnId, script, "native");
        const client = createClient(version, {
          api: "http://test/api/chat",
          chatId: "c",
          approvals: "native",
          fetch: session,
        });
        await client.send("hi");
        await answerAll(client, approves);
        expect(client.error).toBeUndefined();
        const parts: readonly ToolPart[] = client.messages[1]?.parts ?? [];
        const tools = parts.filter((part) => part.type === "dynamic-tool");
        expect(new Set(tools.map((part) => part.toolCallId)).size).toBe(tools.length);
        for (const part of tools) expect(part.state).toMatch(/^output-/);
        expect(client.frames.at(-2)).toBe('{"type":"finish"}');
        await client.validateHistory();
      }),
      { numRuns: 300 },
    );
  });
});
