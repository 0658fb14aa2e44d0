import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelMessage } from "ai";
import { describe, expect, test } from "vitest";
import { ConversationMemory } from "../src/agents/ai-sdk/memory.ts";
import { DemoMemory } from "../src/agents/demo/memory.ts";
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
    new ConversationMemory(path).add([user("one")]);
    appendFileSync(path, '{"role":"assist');
    new ConversationMemory(path).add([user("two")]);
    new ConversationMemory(path).add([user("three")]);
    expect(new ConversationMemory(path).values).toEqual(["one", "two", "three"].map(user));
  });

  test("takes none with it in the demo agent's memory either", () => {
    const path = join(tempDir(), "memory.jsonl");
    new DemoMemory(path).addPrompt("one");
    appendFileSync(path, '"tor');
    new DemoMemory(path).addPrompt("two");
    expect(new DemoMemory(path).values).toEqual(["one", "two"]);
  });
});

describe("AIS7: what a model is sent of a long conversation", () => {
  test("is the last turns, whole", () => {
    const memory = new ConversationMemory(join(tempDir(), "memory.jsonl"));
    const turn = (name: string) => [user(name.repeat(100)), call, result];
    memory.add([...turn("a"), ...turn("b"), ...turn("c")]);
    const chars = turn("c").reduce((sum, message) => sum + JSON.stringify(message).length, 0);
    expect(memory.recent()).toEqual(memory.values);
    expect(memory.recent(3 * chars)).toHaveLength(9);
    expect(memory.recent(3 * chars - 1)).toEqual([...turn("b"), ...turn("c")]);
    expect(memory.recent(2 * chars - 1)).toEqual(turn("c"));
    expect(memory.recent(1)).toEqual(turn("c"));
  });

  test("keeps pictures, of which little counts", () => {
    const memory = new ConversationMemory(join(tempDir(), "memory.jsonl"));
    const data = `data:image/png;base64,${"A".repeat(1_000_000)}`;
    memory.add([{ role: "user", content: [{ type: "file", data, mediaType: "image/png" }] }, user("What is it?")]);
    expect(memory.recent()).toHaveLength(2);
  });
});

describe("TURN9: what was replaced", () => {
  const at = (place: number, ...removed: [number, number][]) => ({ history: { place, removed } });
  const home = () => join(tempDir(), "memory.jsonl");

  test("is forgotten when the next turn begins, by the next process too, and nothing else is", () => {
    const path = home();
    const memory = new DemoMemory(path);
    for (const [index, prompt] of ["one", "two", "three"].entries()) {
      memory.begin(at(2 * index + 2));
      memory.addPrompt(prompt);
    }
    memory.begin(at(8, [3, 6]));
    expect(memory.values).toEqual(["one"]);
    memory.addPrompt("two, better");
    expect(new DemoMemory(path).values).toEqual(["one", "two, better"]);
  });

  test("is forgotten later, where the turn that replaced it never came here", () => {
    const memory = new ConversationMemory(home());
    memory.begin(at(2));
    memory.add([user("one"), call, result]);
    memory.begin(at(6, [1, 2]));
    expect(memory.values).toEqual([]);
  });

  test("what was remembered before turns had a place stays, and so does all for a session that tells none", () => {
    const path = home();
    appendFileSync(path, '"old"\n');
    const memory = new DemoMemory(path);
    memory.begin({});
    memory.addPrompt("new");
    memory.begin(at(9, [1, 8]));
    expect(memory.values).toEqual(["old", "new"]);
  });
});
