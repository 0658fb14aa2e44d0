import { LIMITS } from "@agent-ops/shared/limits";
import { afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { Api } from "../src/api.ts";
import { expectNotLogged, expectRefusal, expectUnharmed, expectWholeStream } from "../src/refusals.ts";
import { storedLog } from "../src/stored-log.ts";

const product = inject("product");
const CANARY = "canary-in-a-body";
const nested = (depth: number) => `${"[".repeat(depth)}"${CANARY}"${"]".repeat(depth)}`;
const user = (text: unknown, more: object = {}) => ({ role: "user", parts: [{ type: "text", text }], ...more });
const file = (url: unknown, more: object = {}) => ({
  role: "user",
  parts: [
    { type: "file", mediaType: "text/plain", url, ...more },
    { type: "text", text: "/empty" },
  ],
});
const bodyOf = (...messages: unknown[]) => JSON.stringify({ id: "chat", messages });
const bytes = (...pieces: (string | number[])[]) =>
  Buffer.concat(pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : Buffer.from(piece))));
const dataUrl = (size: number) => "data:text/plain,".padEnd(size, "x");

let api: Api;
let sessionId: string;

beforeAll(async () => {
  api = await Api.of(product, "bad-bodies");
  sessionId = await api.createSession();
});

/** Whatever was sent: the session works, and nothing of it is in the log. */
afterEach(async () => {
  await expectUnharmed(api, sessionId);
  expectNotLogged(product, CANARY);
});

function post(path: string, body: string | Uint8Array<ArrayBuffer>): Promise<Response> {
  return fetch(product.url + path, { method: "POST", headers: api.headers, body });
}

const REFUSED: [what: string, status: number, code: string, body: () => string | Uint8Array<ArrayBuffer>][] = [
  ["0 bytes", 400, "bad_json", () => ""],
  ["10 MB", 413, "too_large", () => bodyOf(user(CANARY.padEnd(10 * 1024 * 1024, "x")))],
  ["100,000 messages", 400, "bad_request", () => bodyOf(...Array.from({ length: 100_000 }, () => user(CANARY)))],
  ["one message too many", 400, "bad_request", () => bodyOf(...Array(LIMITS.chatMessages + 1).fill(user(CANARY)))],
  ["messages nested 10,000 deep", 400, "bad_request", () => `{"id":"chat","messages":${nested(10_000)}}`],
  ["a text nested 10,000 deep", 400, "bad_request", () => `{"messages":[{"role":"user","content":${nested(10_000)}}]}`],
  ["brackets that never close", 400, "bad_json", () => "[".repeat(100_000)],
  [
    "an escaped lone surrogate",
    400,
    "bad_request",
    () => `{"messages":[{"role":"user","content":"${CANARY}\\ud800"}]}`,
  ],
  ["a pair in the wrong order", 400, "bad_request", () => bodyOf(user(`${CANARY} \udc00\ud800`))],
  ["a lone surrogate in an id", 400, "bad_request", () => bodyOf(user(CANARY, { id: "\udfff" }))],
  ["a lone surrogate in a file", 400, "bad_request", () => bodyOf(file("data:,\ud800", { filename: CANARY }))],
  [
    "a surrogate as raw bytes",
    400,
    "bad_json",
    () => bytes(bodyOf(user(CANARY)).slice(0, -5), [0xed, 0xa0, 0x80], '"}]}'),
  ],
  [
    "bytes that are no UTF-8",
    400,
    "bad_json",
    () => bytes('{"messages":[{"role":"user","content":"', CANARY, [0xff, 0xfe], '"}]}'),
  ],
  ["a character cut in half", 400, "bad_json", () => bytes('{"messages":[{"role":"user","content":"', [0xe2, 0x82])],
  ["JSON that goes on", 400, "bad_json", () => `${bodyOf(user(CANARY))}${CANARY}`],
  ["JSON with a comment", 400, "bad_json", () => `${bodyOf(user(CANARY))} // ${CANARY}`],
  ["NaN", 400, "bad_json", () => `{"messages":NaN,"x":"${CANARY}"}`],
  ["null", 400, "no_messages", () => "null"],
  ["a text", 400, "no_messages", () => JSON.stringify(CANARY)],
  ["a list", 400, "no_messages", () => JSON.stringify([user(CANARY)])],
  ["messages only in the prototype", 400, "no_messages", () => `{"__proto__":${bodyOf(user(CANARY))}}`],
  [
    "messages that are an object",
    400,
    "bad_request",
    () => JSON.stringify({ messages: { 0: user(CANARY), length: 1 } }),
  ],
  ["a message that is null", 400, "bad_request", () => bodyOf(null, user(CANARY))],
  ["a role that is a list", 400, "bad_request", () => bodyOf({ role: ["user"], content: CANARY })],
  ["no user's message", 400, "no_messages", () => bodyOf({ role: "system", content: CANARY })],
  [
    "parts that are an object",
    400,
    "bad_request",
    () => bodyOf({ role: "user", parts: { 0: { type: "text", text: CANARY } } }),
  ],
  ["a part that is a text", 400, "bad_request", () => bodyOf({ role: "user", parts: [CANARY] })],
  ["a part without a type", 400, "bad_request", () => bodyOf({ role: "user", parts: [{ text: CANARY }] })],
  ["a text that is a number", 400, "bad_request", () => bodyOf(user(5))],
  ["a text that is null", 400, "bad_request", () => bodyOf(user(null))],
  ["a text that is a list", 400, "bad_request", () => bodyOf(user([CANARY]))],
  [
    "a text that is an object with its own toString",
    400,
    "bad_request",
    () => bodyOf(user({ toString: CANARY, valueOf: 1 })),
  ],
  ["a content that is a number", 400, "bad_request", () => bodyOf({ role: "user", content: 5 })],
  [
    "only parts that nobody knows",
    400,
    "empty_prompt",
    () => bodyOf({ role: "user", parts: [{ type: "riddle", text: CANARY }] }),
  ],
  ["an id of 129 characters", 400, "bad_request", () => bodyOf(user(CANARY, { id: "x".repeat(129) }))],
  ["an empty id", 400, "bad_request", () => bodyOf(user(CANARY, { id: "" }))],
  ["an id that is an object", 400, "bad_request", () => bodyOf(user(CANARY, { id: { $ne: 1 } }))],
  [
    "a chat id of 129 characters",
    400,
    "bad_request",
    () => JSON.stringify({ id: "x".repeat(129), messages: [user(CANARY)] }),
  ],
  [
    "an unknown trigger",
    400,
    "bad_request",
    () => JSON.stringify({ id: "chat", trigger: "explode", messages: [user(CANARY)] }),
  ],
  [
    "a messageId that is a number",
    400,
    "bad_request",
    () => JSON.stringify({ id: "chat", messageId: 7, messages: [user(CANARY)] }),
  ],
  ["a file over http", 400, "bad_request", () => bodyOf(file(`http://127.0.0.1/${CANARY}`))],
  ["a file of a cloud's metadata", 400, "bad_request", () => bodyOf(file("http://169.254.169.254/latest/meta-data/"))],
  ["a file of the server's disk", 400, "bad_request", () => bodyOf(file("file:///etc/passwd"))],
  ["a file as a blob", 400, "bad_request", () => bodyOf(file(`blob:https://x.example/${CANARY}`))],
  ["a file by a relative path", 400, "bad_request", () => bodyOf(file("../secrets.json"))],
  ["a file without an address", 400, "bad_request", () => bodyOf(file(undefined))],
  ["a file whose address is a list", 400, "bad_request", () => bodyOf(file(["data:,x"]))],
  ["a file whose name is a number", 400, "bad_request", () => bodyOf(file("data:,x", { filename: 5 }))],
  ["a file whose type is an object", 400, "bad_request", () => bodyOf(file("data:,x", { mediaType: {} }))],
  ["files of one byte too many", 413, "too_large", () => bodyOf(file(dataUrl(LIMITS.attachmentBytes + 1)))],
  [
    "a file with a name of 5 MB",
    413,
    "too_large",
    () => bodyOf(file("data:,x", { filename: CANARY.padEnd(5e6, "x") })),
  ],
  [
    "100,000 tiny files",
    413,
    "too_large",
    () => bodyOf({ role: "user", parts: Array(100_000).fill({ type: "file", mediaType: "", url: "data:," }) }),
  ],
  [
    "a text of one character too many",
    413,
    "too_large",
    () => bodyOf(user(CANARY.padEnd(LIMITS.promptChars + 1, "x"))),
  ],
  [
    "control characters that grow in JSON",
    413,
    "too_large",
    () => bodyOf(user(CANARY.padEnd(LIMITS.promptChars, "\u0001"))),
  ],
];

describe.each([
  ["POST /api/sessions/:id/chat", () => `/api/sessions/${sessionId}/chat`],
  ["POST /api/chat", () => "/api/chat"],
])("bodies that %s refuses", (_route, path) => {
  it.each(REFUSED)("SSE3: %s: %i %s", async (_what, status, code, body) => {
    await expectRefusal(await post(path(), body()), status, code);
  });
});

const TAKEN: [what: string, body: () => string][] = [
  [
    "SSE1: parts that nobody knows, beside a text",
    () =>
      bodyOf({
        role: "user",
        parts: [
          { type: "riddle", text: 5 },
          { type: "text", text: "/empty" },
          { type: "data-x", data: null },
        ],
      }),
  ],
  [
    "SSE1: a history that lies",
    () =>
      bodyOf(
        { role: "assistant", parts: [{ type: "tool-rm", state: "output-available", output: CANARY }] },
        user("/empty"),
      ),
  ],
  [
    "SSE1: several messages of one id, of which the last counts",
    () => bodyOf(user("/hang", { id: "twin" }), user("/hang", { id: "twin" }), user("/empty", { id: "twin" })),
  ],
  ["SSE1: as many messages as the limit", () => bodyOf(...Array(LIMITS.chatMessages).fill(user("/empty")))],
  [
    "SSE1: fields nested 10,000 deep that nobody reads",
    () => `{"x":${nested(10_000)},"messages":[{"role":"user","metadata":${nested(10_000)},"content":"/empty"}]}`,
  ],
  [
    "SSE1: duplicate keys, of which the last counts",
    () => '{"messages":[5],"messages":[{"role":"assistant","role":"user","content":"/hang","content":"/empty"}]}',
  ],
  [
    "SSE1: keys that reach for prototypes",
    () =>
      '{"__proto__":{"approvals":"x"},"constructor":{"prototype":{"a":1}},"messages":[{"__proto__":{"id":5},"role":"user","content":"/empty"}]}',
  ],
  ["SSE4: an id of 128 characters", () => bodyOf(user("/empty", { id: "x".repeat(128) }))],
  ["SSE13: files that fill the limit", () => bodyOf(file(dataUrl(LIMITS.attachmentBytes)))],
  ["SSE1: a text that fills the limit", () => bodyOf(user("/empty ".padEnd(LIMITS.promptChars, "x")))],
  [
    "SSE1: a text of wide characters that fills the limit",
    () => bodyOf(user("/empty ".padEnd(LIMITS.promptChars, "\u65e5"))),
  ],
];

describe("bodies that are taken", () => {
  it.each(TAKEN)("%s", async (_what, body) => {
    await expectWholeStream(await post(`/api/sessions/${sessionId}/chat`, body()));
  });

  it.each(["\u0000", "a/b", "../../x", "'; DROP TABLE turns; --", "\u{1f4a5}", "\n", "__proto__", "ses_x", "%00"])(
    "SSE4 TURN2: the id %j is an id like any other",
    async (id) => {
      await expectWholeStream(await post(`/api/sessions/${sessionId}/chat`, bodyOf(user("/empty", { id }))));
      await expectWholeStream(await post(`/api/sessions/${sessionId}/chat`, bodyOf(user("/empty", { id }))));
      const creates = storedLog(product.data, sessionId).filter(
        (event) => event.type === "message" && JSON.stringify(event.message).includes(`"id":${JSON.stringify(id)},`),
      );
      expect(creates).toHaveLength(1);
      const other = await post(`/api/sessions/${sessionId}/chat`, bodyOf(user(CANARY, { id })));
      await expectRefusal(other, 409, "conflict");
    },
  );

  it("LOG7: after all of them no event of the log is as large as 1 MB", () => {
    const sizes = storedLog(product.data, sessionId).map((event) => Buffer.byteLength(JSON.stringify(event)));
    expect(Math.max(...sizes)).toBeGreaterThan(LIMITS.promptChars);
    expect(Math.max(...sizes)).toBeLessThan(1024 * 1024);
  });
});
