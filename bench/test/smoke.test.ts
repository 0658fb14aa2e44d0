import { expect, it } from "vitest";
import { throughputCase } from "../src/cases/throughput.ts";
import { runCases } from "../src/run.ts";

const smallest = throughputCase({ name: "flat-2x2", sessions: 2, readers: 2, batching: "runner", quick: true });
const stopped = new Promise<never>(() => undefined);

it("measures the product beside a peer, and misses no delta", { timeout: 30_000 }, async () => {
  const shown: string[] = [];
  const show = (text: string) => void shown.push(text);
  const options = { quick: true, systems: ["adapter" as const, "socket" as const, "ai-node" as const], show, stopped };
  const { results, notes } = await runCases([smallest], options);
  expect(notes.filter((note) => !note.startsWith("ulimit") && !note.startsWith("other programs"))).toEqual([]);
  expect(results[0]?.measures.map(({ system, values }) => [system, values.delivered])).toEqual([
    ["adapter", 100],
    ["socket", 100],
    ["ai-node", 100],
  ]);
  expect(shown.join("")).toContain("ours: the chat adapter");
});
