import fc from "fast-check";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { Api } from "../src/api.ts";
import { expectNotLogged, expectRefusal, expectUnharmed, expectWholeStream } from "../src/refusals.ts";

const product = inject("product");
const CANARY = "canary-in-a-fuzzed-body";
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_115);
const RUNS = Number(process.env.FUZZ_RUNS ?? 800);
const REFUSALS = [400, 404, 409, 413, 429];

const text = (value: string) => ({ type: "text", text: value });
const tool = {
  type: "dynamic-tool",
  toolName: "run_command",
  toolCallId: "call-1",
  state: "approval-responded",
  input: { command: CANARY },
  approval: { id: "question-1", approved: true, reason: CANARY },
};
const answer = { id: "turn-1", role: "assistant", parts: [{ type: "step-start" }, text(CANARY)], metadata: { a: 1 } };

/** What clients of v5 to v7, and plain ones, send: a prompt, an edit, a regenerate, an approval, a file, an option. */
const VALID = [
  { id: "chat", messages: [{ id: "m1", role: "user", parts: [text("/empty")] }], trigger: "submit-message" },
  {
    id: "chat",
    messages: [
      { id: "m1", role: "user", parts: [text("/empty")] },
      answer,
      { id: "m2", role: "user", parts: [text("/stream 2 0")] },
    ],
    trigger: "submit-message",
  },
  {
    id: "chat",
    messages: [{ id: "m1", role: "user", parts: [text("/stream 1 0")] }],
    trigger: "submit-message",
    messageId: "m1",
  },
  {
    id: "chat",
    messages: [{ id: "m1", role: "user", parts: [text("/empty")] }],
    trigger: "regenerate-message",
    messageId: "turn-1",
  },
  {
    id: "chat",
    messages: [
      { id: "m1", role: "user", parts: [text("/empty")] },
      { ...answer, parts: [tool] },
    ],
    trigger: "submit-message",
    messageId: "turn-1",
  },
  {
    id: "chat",
    messages: [
      {
        role: "user",
        parts: [{ type: "file", mediaType: "text/plain", filename: "a.txt", url: "data:text/plain,x" }, text("/empty")],
      },
    ],
    approvals: "native",
  },
  {
    messages: [
      { role: "system", content: "obey" },
      { role: "user", content: "/empty" },
    ],
    onDisconnect: "detach",
    channelId: "c",
  },
  { messages: [{ role: "user", content: [text("/stream 1 0 "), text(CANARY)] }], events: "named" },
];

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
const STRANGE = [
  "__proto__",
  "constructor",
  "toString",
  "\ud800",
  "\u0000",
  "data:,x",
  "http://x",
  "user",
  "text",
  "file",
];

const valid = fc.constantFrom(...VALID).map((body): Json => JSON.parse(JSON.stringify(body)));
const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom<Json[]>(...STRANGE, {}, [], -1, 1e308));
const where = fc.nat({ max: 60 });

/** One value of a valid body becomes another, goes away, or comes twice. */
const changed = fc
  .record({ body: valid, where, change: fc.constantFrom("replace", "remove", "repeat"), value })
  .map(({ body, where, change, value }) =>
    JSON.stringify(
      changeAt(body, { left: where }, (old) =>
        change === "replace" ? [value as Json] : change === "remove" ? [] : [old, old],
      ),
    ),
  );
/** Some bytes of a valid body become others. */
const broken = fc
  .record({ body: valid, at: fc.nat({ max: 300 }), cut: fc.nat({ max: 20 }), bytes: fc.uint8Array({ maxLength: 8 }) })
  .map(({ body, at, cut, bytes }) => {
    const whole = Buffer.from(JSON.stringify(body));
    return Buffer.concat([whole.subarray(0, at), bytes, whole.subarray(at + cut)]);
  });
const anything = fc.oneof(
  fc.json(),
  fc.uint8Array({ maxLength: 200 }),
  fc.record({ messages: value }).map((body) => JSON.stringify(body)),
  fc
    .string({ unit: "binary" })
    .map((words) => JSON.stringify({ messages: [{ role: "user", content: `/stream 1 0 ${words}` }] })),
);

/** Walks the values in their order and changes the one that `left` counts down to. */
function changeAt(node: Json, count: { left: number }, change: (old: Json) => Json[]): Json {
  const visit = (inner: Json): Json[] => (count.left-- === 0 ? change(inner) : [changeAt(inner, count, change)]);
  if (Array.isArray(node)) return node.flatMap(visit);
  if (node === null || typeof node !== "object") return node;
  return Object.fromEntries(Object.entries(node).flatMap(([key, inner]) => visit(inner).map((next) => [key, next])));
}

describe("request bodies nobody thought of", () => {
  let api: Api;
  let sessionId: string;

  beforeAll(async () => {
    api = await Api.of(product, "bad-fuzz");
    sessionId = await api.createSession();
  });

  it.each([
    ["POST /api/sessions/:id/chat", () => `/api/sessions/${sessionId}/chat`],
    ["POST /api/chat", () => "/api/chat"],
  ])("SSE1 SSE3 TR14: %s streams to the end or says what is wrong", async (_route, path) => {
    const body = fc.oneof(
      { weight: 4, arbitrary: changed },
      { weight: 2, arbitrary: broken },
      { weight: 2, arbitrary: anything },
    );
    const seen = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(body, async (sent) => {
        const init = { method: "POST", headers: api.headers, body: sent as string };
        const response = await fetch(product.url + path(), { ...init, signal: AbortSignal.timeout(10_000) });
        seen.set(response.status, (seen.get(response.status) ?? 0) + 1);
        if (response.status === 200) return expectWholeStream(response);
        expect(REFUSALS).toContain(response.status);
        await expectRefusal(response, response.status, String(response.headers.get("x-error-code")));
      }),
      { seed: SEED, numRuns: RUNS / 2, endOnFailure: true },
    );
    expect(Math.min(seen.get(200) ?? 0, seen.get(400) ?? 0)).toBeGreaterThan(RUNS / 20);
    await expectUnharmed(api, sessionId);
    expectNotLogged(product, CANARY);
  });
});
