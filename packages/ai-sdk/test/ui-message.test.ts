import type { Message } from "@agent-ops/shared/message-parts";
import type { Question } from "@agent-ops/shared/questions";
import { describe, expect, test } from "vitest";
import { TOOL_UNFINISHED } from "../src/tool-input.ts";
import { toUIMessage } from "../src/ui-message.ts";
import { EVERY_SDK } from "./sdks.ts";

const NO_QUESTIONS: ReadonlyMap<string, Question> = new Map();
const message = (parts: Message["parts"]): Message => ({
  id: "message-1",
  turnId: "turn-1",
  role: "assistant",
  parts,
  createdAt: 0,
});

describe("EV7 a stored message as clients keep it", () => {
  test("EV7 what a person wrote: text and files, under its own id", () => {
    const file = { type: "file", mediaType: "text/plain", filename: "a.txt", url: "data:text/plain,a" } as const;
    const written: Message = { ...message([file, { type: "text", text: "hi" }]), role: "user", userId: "ann" };
    expect(toUIMessage(written, NO_QUESTIONS)).toEqual({
      id: "message-1",
      role: "user",
      parts: [file, { type: "text", text: "hi" }],
    });
  });

  test("EV7 what an agent wrote carries its turn's id, as its stream does", () => {
    const parts: Message["parts"] = [
      { type: "reasoning", text: "hm" },
      { type: "text", text: "hi" },
      { type: "step" },
      { type: "reasoning", text: "so", streaming: true },
    ];
    expect(toUIMessage(message(parts), NO_QUESTIONS)).toEqual({
      id: "turn-1",
      role: "assistant",
      parts: [
        { type: "step-start" },
        { type: "reasoning", id: "reasoning-1", text: "hm", state: "done" },
        { type: "text", text: "hi", state: "done" },
        { type: "step-start" },
        { type: "reasoning", id: "reasoning-3", text: "so", state: "streaming" },
      ],
    });
  });

  test("TR8 a call that its turn left open failed", () => {
    const call = { type: "tool-call", callId: "1", toolName: "bash", status: "running", args: {} } as const;
    const running = toUIMessage(message([call]), NO_QUESTIONS);
    const ended = toUIMessage(message([call, { type: "finish", reason: "canceled" }]), NO_QUESTIONS);
    expect(running.parts[1]).toMatchObject({ state: "input-available", input: {} });
    expect(ended.parts[1]).toMatchObject({ state: "output-error", errorText: TOOL_UNFINISHED });
    expect(ended.metadata).toEqual({ canceled: true });
  });

  test("TR9 a failed turn says why", () => {
    const parts: Message["parts"] = [
      { type: "error", message: "boom" },
      { type: "finish", reason: "error" },
    ];
    expect(toUIMessage(message(parts), NO_QUESTIONS)).toEqual({
      id: "turn-1",
      role: "assistant",
      parts: [],
      metadata: { error: "boom" },
    });
  });

  test("TR11 a question is shown once, and only where it is known", () => {
    const asked: Question = { questionId: "q", turnId: "turn-1", kind: "text", prompt: "?" };
    const part = { type: "question", questionId: "q" } as const;
    const shown = toUIMessage(message([part, part, { type: "question", questionId: "r" }]), new Map([["q", asked]]));
    expect(shown.parts.slice(1)).toEqual([{ type: "data-question", id: "q", data: asked }]);
  });

  test.each(EVERY_SDK)("EV7 SDK $name takes a history of both", async ({ validate }) => {
    const written: Message = { ...message([{ type: "text", text: "hi" }]), role: "user" };
    const empty = message([{ type: "finish", reason: "end_turn" }]);
    await validate([toUIMessage(written, NO_QUESTIONS), toUIMessage(empty, NO_QUESTIONS)]);
  });
});
