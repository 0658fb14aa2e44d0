import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Api, sseChunks } from "../src/api.ts";
import { FrameSocket } from "../src/frame-socket.ts";
import { Product } from "../src/product.ts";
import { expectRefusal } from "../src/refusals.ts";

const ALLOWED = ["https://app.example", "http://localhost:3000"];
const OTHERS = [
  "https://evil.example",
  "https://app.example.evil.example",
  "http://app.example",
  "https://app.example:8443",
  "https://APP.example",
  "null",
  "*",
  "https://app.example, https://evil.example",
];
/** What browsers ask for on behalf of real clients: some builds of the SDK send a user-agent. */
const HEADERS = [
  "authorization",
  "content-type",
  "user-agent",
  "x-agent-ops-approvals",
  "x-agent-ops-on-disconnect",
  "x-agent-ops-channel-id",
  "x-agent-ops-events",
];

let product: Product;
let api: Api;
let sessionId: string;

beforeAll(async () => {
  product = await Product.start({ CORS_ORIGINS: ALLOWED.join(", ") });
  api = await Api.of(product);
  sessionId = await api.createSession();
});

afterAll(() => product.destroy());

function send(method: string, path: string, origin: string, init: RequestInit = {}): Promise<Response> {
  return fetch(product.url + path, { ...init, method, headers: { ...api.headers, origin, ...init.headers } });
}

function preflight(path: string, origin: string, method = "POST"): Promise<Response> {
  const asked = { "access-control-request-method": method, "access-control-request-headers": HEADERS.join(",") };
  return fetch(product.url + path, { method: "OPTIONS", headers: { origin, ...asked } });
}

function listOf(response: Response, header: string): string[] {
  return (response.headers.get(`access-control-${header}`) ?? "").split(",").map((item) => item.trim().toLowerCase());
}

const chatPath = () => `/api/sessions/${sessionId}/chat`;
const PATHS: [string, () => string][] = [
  ["the chat route", chatPath],
  ["its resume", () => `${chatPath()}/x/stream`],
  ["the default URL", () => "/api/chat"],
  ["the sessions", () => "/api/sessions"],
  ["a question", () => `/api/sessions/${sessionId}/questions/x`],
];

describe("a page of an allowed origin", () => {
  it.each(PATHS)("SSE11: a preflight of %s needs no token and allows what real clients send", async (_what, path) => {
    for (const origin of ALLOWED) {
      const response = await preflight(path(), origin);
      expect(response.status).toBe(204);
      expect(response.headers.get("access-control-allow-origin")).toBe(origin);
      expect(listOf(response, "allow-headers")).toEqual(expect.arrayContaining(HEADERS));
      expect(listOf(response, "allow-methods")).toEqual(
        expect.arrayContaining(["get", "post", "patch", "delete", "put"]),
      );
      expect(response.headers.get("access-control-allow-credentials")).toBeNull();
      expect(listOf(response, "max-age")).toEqual(["600"]);
    }
  });

  it("SSE11: reads the stream, and the headers that clients need", async () => {
    const body = JSON.stringify({ id: "cors", messages: [{ role: "user", content: "/empty" }] });
    for (const path of [chatPath(), "/api/chat"]) {
      const response = await send("POST", path, "https://app.example", { body });
      expect(response.status).toBe(200);
      expect(response.headers.get("access-control-allow-origin")).toBe("https://app.example");
      expect(response.headers.get("access-control-allow-credentials")).toBeNull();
      const exposed = listOf(response, "expose-headers");
      expect(exposed).toEqual(expect.arrayContaining(["x-chat-session-id", "x-error-code", "x-workflow-run-id"]));
      expect(response.headers.get("x-workflow-run-id")).toEqual(expect.any(String));
      expect(sseChunks(await response.text()).at(-1)?.type).toBe("finish");
    }
  });

  it("SSE11 SSE3: reads what is wrong too: with no token, a wrong one, no session and a bad body", async () => {
    const origin = "https://app.example";
    const answers: [Response, number, string][] = [
      [await fetch(product.url + chatPath(), { method: "POST", headers: { origin }, body: "{}" }), 401, "unauthorized"],
      [await send("POST", chatPath(), origin, { headers: { authorization: "Bearer x" } }), 401, "unauthorized"],
      [await send("GET", "/api/sessions/ses_x", origin), 404, "not_found"],
      [await send("POST", chatPath(), origin, { body: "{" }), 400, "bad_json"],
      [await send("PUT", chatPath(), origin), 405, "method_not_allowed"],
    ];
    for (const [response, status, code] of answers) {
      expect(response.headers.get("access-control-allow-origin")).toBe(origin);
      expect(listOf(response, "expose-headers")).toContain("x-error-code");
      await expectRefusal(response, status, code);
    }
  });

  it("SSE11: caches keep the answers of different origins apart", async () => {
    for (const origin of [...ALLOWED, "https://evil.example"]) {
      const response = await send("GET", "/api/sessions", origin);
      expect(response.headers.get("vary")?.toLowerCase()).toContain("origin");
    }
  });
});

describe("any other page", () => {
  it.each(OTHERS)("SSE11: %s is allowed nothing, neither in a preflight nor in an answer", async (origin) => {
    for (const [, path] of PATHS) {
      expect((await preflight(path(), origin)).headers.get("access-control-allow-origin")).toBeNull();
    }
    const listed = await send("GET", "/api/sessions", origin);
    expect(listed.headers.get("access-control-allow-origin")).toBeNull();
    const refused = await send("POST", chatPath(), origin, { body: "{" });
    expect(refused.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("SSE11: outside the API nothing is allowed to anyone", async () => {
    for (const path of ["/metrics", "/healthz", "/"]) {
      const response = await send("GET", path, "https://app.example");
      expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([200, null]);
    }
  });
});

describe("sockets", () => {
  it("SSE11 ACL4: an upgrade needs its token or ticket, not an origin", async () => {
    for (const origin of ["https://app.example", "https://evil.example"]) {
      const socket = await FrameSocket.open(api, `/api/sessions/${sessionId}/ws`, { origin });
      await socket.ask('{"type":"ping"}', (text) => text.includes("pong"));
      socket.socket.close();
      const chat = await FrameSocket.open(api, chatPath(), { origin });
      const resume = { type: "resume", requestId: "r", id: "x", headers: {}, body: {} };
      await chat.ask(JSON.stringify(resume), (text) => text.includes("no-active"));
      chat.socket.close();
    }
    const stranger = new Api(product.url, "");
    const opening = FrameSocket.open(stranger, chatPath(), { origin: "https://app.example", authorization: "" });
    await expect(opening).rejects.toThrow("401");
  });

  it("ACL4: a ticket of one origin opens nothing from another", async () => {
    const issued = await send("POST", `/api/sessions/${sessionId}/ticket`, "https://app.example");
    const { ticket } = await issued.json();
    const path = `/api/sessions/${sessionId}/ws?ticket=${ticket}`;
    const url = product.url.replace("http", "ws");
    const open = (origin: string) => openWithTicket(url + path, origin);
    expect(await open("https://evil.example")).toBe(401);
    expect(await open("https://app.example")).toBe(101);
    expect(await open("https://app.example")).toBe(401);
  });
});

async function openWithTicket(url: string, origin: string): Promise<number> {
  const { WebSocket } = await import("ws");
  const socket = new WebSocket(url, { origin });
  return new Promise((resolve) => {
    socket.once("open", () => resolve(101));
    socket.once("unexpected-response", (_request, response) => resolve(response.statusCode ?? 0));
    socket.once("close", () => undefined);
  }).then((status) => {
    socket.on("error", () => undefined).terminate();
    return Number(status);
  });
}
