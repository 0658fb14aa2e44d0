import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelMessage } from "ai";
import { describe, expect, test } from "vitest";
import { Memory } from "../src/agents/ai-sdk/memory.ts";
import { Memory as DemoMemory } from "../src/agents/demo/memory.ts";
import { tempDir } from "./support/temp-dir.ts";

const user = (content: string): ModelMessage => ({ role: "user", content });
const call: ModelMessage = {
  role: "assistant",
  content: [{ type: "tool-call", toolCallId: "c", toolName: "look", input: {} }],
};
const result: ModelMessage = {
  role: "tool",
  content: [{ type: "tool-result", toolCallId: "c", toolName: "look", output: { type: "text", value: "seen" } }],
};

describe("AIS6: a line that a death tore", () => {
  test("takes no other with it", () => {
    const path = join(tempDir(), "deep/memory.jsonl");
    new Memory(path).add([user("one")]);
    appendFileSync(path, '{"role":"assist');
    new Memory(path).add([user("two")]);
    new Memory(path).add([user("three")]);
    expect(new Memory(path).messages).toEqual(["one", "two", "three"].map(user));
  });

  test("takes none with it in the demo agent's memory either", () => {
    const path = join(tempDir(), "memory.jsonl");
    new DemoMemory(path).add("one");
    appendFileSync(path, '"tor');
    new DemoMemory(path).add("two");
    expect(new DemoMemory(path).prompts).toEqual(["one", "two"]);
  });
});

describe("AIS7: what a model is sent of a long conversation", () => {
  test("is the last turns, whole", () => {
    const memory = new Memory(join(tempDir(), "memory.jsonl"));
    const turn = (name: string) => [user(name.repeat(100)), call, result];
    memory.add([...turn("a"), ...turn("b"), ...turn("c")]);
    const chars = turn("c").reduce((sum, message) => sum + JSON.stringify(message).length, 0);
    expect(memory.recent()).toEqual(memory.messages);
    expect(memory.recent(3 * chars)).toHaveLength(9);
    expect(memory.recent(3 * chars - 1)).toEqual([...turn("b"), ...turn("c")]);
    expect(memory.recent(2 * chars - 1)).toEqual(turn("c"));
    expect(memory.recent(1)).toEqual(turn("c"));
  });

  test("keeps pictures, of which little counts", () => {
    const memory = new Memory(join(tempDir(), "memory.jsonl"));
    const data = `data:image/png;base64,${"A".repeat(1_000_000)}`;
    memory.add([{ role: "user", content: [{ type: "file", data, mediaType: "image/png" }] }, user("What is it?")]);
    expect(memory.recent()).toHaveLength(2);
  });
});
