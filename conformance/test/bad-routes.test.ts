import { LIMITS } from "@agent-ops/shared/limits";
import { afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { Api } from "../src/api.ts";
import { expectNotLogged, expectRefusal, expectUnharmed, expectWholeStream } from "../src/refusals.ts";
import { V2Reader } from "../src/v2-reader.ts";

const product = inject("product");
const CANARY = "canary-in-a-route";
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

let api: Api;
let sessionId: string;

beforeAll(async () => {
  api = await Api.of(product, "bad-routes");
  sessionId = await api.createSession();
});

afterEach(async () => {
  await expectUnharmed(api, sessionId);
  expectNotLogged(product, CANARY);
});

/** What is wrong with any small JSON body. */
const BODIES: [what: string, status: number, code: string, body: () => string | Uint8Array<ArrayBuffer>][] = [
  ["no JSON", 400, "bad_json", () => `{${CANARY}`],
  ["no UTF-8", 400, "bad_json", () => Buffer.from([0x7b, 0xff, 0x7d])],
  ["a text", 400, "bad_request", () => JSON.stringify(CANARY)],
  ["a list", 400, "bad_request", () => "[]"],
  ["null", 400, "bad_request", () => "null"],
  ["65 levels", 400, "bad_request", () => `{"x":${nested(65)}}`],
  ["10,000 levels", 400, "bad_request", () => `{"agent":${nested(10_000)}}`],
  ["brackets that never close", 400, "bad_json", () => "[".repeat(60_000)],
  ["more than 64 KB", 413, "too_large", () => JSON.stringify({ agent: "demo", title: CANARY.padEnd(70_000, "x") })],
  ["10 MB", 413, "too_large", () => JSON.stringify({ agent: "demo", title: CANARY.padEnd(10 * 1024 * 1024, "x") })],
];

function send(method: string, path: string, body: string | Uint8Array<ArrayBuffer>): Promise<Response> {
  return fetch(product.url + path, { method, headers: api.headers, body });
}

describe.each<[method: string, route: string, path: () => string]>([
  ["POST", "sessions", () => "/api/sessions"],
  ["PATCH", "a session", () => `/api/sessions/${sessionId}`],
  ["PUT", "a member", () => `/api/sessions/${sessionId}/members/bob`],
  ["POST", "abort", () => `/api/sessions/${sessionId}/abort`],
  ["POST", "a sign-in", () => "/api/auth/exchange"],
])("bodies that %s to %s refuses", (method, _route, path) => {
  it.each(BODIES)("SSE3: %s: %i %s", async (_what, status, code, body) => {
    await expectRefusal(await send(method, path(), body()), status, code);
  });
});

describe("sessions", () => {
  const before = async () => (await (await api.request("GET", "/api/sessions")).json()).sessions.length;

  it.each([
    { agent: "" },
    { agent: 5 },
    { agent: ["demo"] },
    { agent: "../demo" },
    { agent: "demo\n" },
    { agent: "x".repeat(65) },
    { agent: "__PROTO__" },
    { agent: "demo", title: "" },
    { agent: "demo", title: " \t" },
    { agent: "demo", title: 5 },
    { agent: "demo", title: "x".repeat(LIMITS.titleChars + 1) },
  ])("ACL2: none is made of %j", async (body) => {
    const count = await before();
    await expectRefusal(await api.request("POST", "/api/sessions", body), 400, "bad_request");
    expect(await before()).toBe(count);
  });

  it.each([
    { title: "" },
    { title: null },
    { onDisconnect: "explode" },
    { onDisconnect: 1 },
    { title: "x".repeat(201) },
  ])("ACL6: none is changed by %j", async (body) => {
    const view = await (await api.request("GET", `/api/sessions/${sessionId}`)).json();
    await expectRefusal(await api.request("PATCH", `/api/sessions/${sessionId}`, body), 400, "bad_request");
    expect(await (await api.request("GET", `/api/sessions/${sessionId}`)).json()).toEqual(view);
  });

  it.each([{ role: "god" }, { role: null }, {}, { role: ["owner"] }, { role: "Owner" }])(
    "ACL7: nobody becomes a member with %j",
    async (body) => {
      const path = `/api/sessions/${sessionId}/members/bad-routes-bob`;
      await expectRefusal(await api.request("PUT", path, body), 400, "bad_request");
      const bob = await Api.of(product, "bad-routes-bob");
      await expectRefusal(await bob.request("GET", `/api/sessions/${sessionId}`), 404, "not_found");
    },
  );

  it.each([
    "limit=0",
    "limit=201",
    "limit=-1",
    "limit=x",
    "limit=1.5",
    "before=0",
    "before=-1",
    "before=x",
    "before=1e99",
  ])("SSE3: messages?%s", async (query) => {
    await expectRefusal(await api.request("GET", `/api/sessions/${sessionId}/messages?${query}`), 400, "bad_request");
  });

  it("ACL2: an id that nobody made is not found, however strange", async () => {
    const flipped = sessionId.slice(0, -1) + (sessionId.endsWith("0") ? "1" : "0");
    const ids = [flipped, sessionId.toUpperCase(), `${sessionId}%00`, "..%2f", "%ff", "x".repeat(5000), "__proto__"];
    for (const id of ids) {
      await expectRefusal(await api.request("GET", `/api/sessions/${id}`), 404, "not_found");
      await expectRefusal(await api.request("POST", `/api/sessions/${id}/ticket`), 404, "not_found");
    }
  });

  it.each([{ code: 5 }, { code: "" }, {}])("ACL3: %j is no sign-in code", async (body) => {
    await expectRefusal(await api.request("POST", "/api/auth/exchange", body), 400, "bad_request");
  });

  it("ACL3: a code that nobody gave, and a token that is no code, sign nobody in", async () => {
    for (const code of [CANARY, "a.b.c", api.token, "x".repeat(50_000)]) {
      await expectRefusal(await api.request("POST", "/api/auth/exchange", { code }), 401, "unauthorized");
    }
  });
});

describe("answers to questions", () => {
  const WRONG = [
    "{",
    "null",
    "5",
    "[]",
    "{}",
    JSON.stringify(CANARY),
    '{"approved":"yes"}',
    '{"approved":1,"value":[]}',
  ];
  const DEEP = `{"action":"accept","content":{"name":${nested(10_000)}}}`;

  it.each([
    ["/approve", { approved: false }, [...WRONG, '{"value":"red"}', '{"action":"accept"}', DEEP]],
    ["/ask", { value: "red" }, [...WRONG, '{"approved":true}', '{"value":"violet"}', '{"value":5}', DEEP]],
    ["/form", { action: "decline" }, [...WRONG, '{"action":"explode"}', '{"action":"accept","content":5}', DEEP]],
  ])("Q2 Q3: what does not answer %s is refused, and the question stays open", async (command, good, wrong) => {
    const own = await api.createSession();
    const reader = new V2Reader(api, own);
    await reader.connect();
    const turn = await api.chat(own, command);
    await reader.until(({ events }) => events.some(({ type }) => type === "question"));
    const questionId = reader.events.flatMap((event) => (event.type === "question" ? [event.questionId] : []))[0];
    const path = `/api/sessions/${own}/questions/${questionId}`;
    for (const body of wrong) {
      const response = await send("POST", path, body);
      const code = String(response.headers.get("x-error-code"));
      expect(["bad_json", "bad_answer", "bad_request"]).toContain(code);
      await expectRefusal(response, 400, code);
    }
    await expectRefusal(await send("POST", path, CANARY.padEnd(70_000)), 413, "too_large");
    expect(reader.events.map(({ type }) => type)).not.toContain("question.resolved");
    expect((await api.request("POST", path, good)).status).toBe(200);
    await expectRefusal(await api.request("POST", path, good), 409, "already_answered");
    await expectWholeStream(turn);
    reader.close();
  });

  it("Q3: a question that nobody asked is not found", async () => {
    for (const id of ["x", "%00", "__proto__", "x".repeat(5000), "%F0%9F%92%A5", "1%20OR%201=1"]) {
      const path = `/api/sessions/${sessionId}/questions/${id}`;
      await expectRefusal(await api.request("POST", path, { approved: true }), 404, "not_found");
    }
  });
});
