import { createConnection } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { Api, sseChunks } from "../src/api.ts";
import { expectNotLogged, expectRefusal, expectUnharmed, expectWholeStream } from "../src/refusals.ts";

const product = inject("product");
const CANARY = "canary-in-a-request";
const EMPTY = JSON.stringify({ id: "chat", messages: [{ role: "user", content: "/empty" }] });
const TOLD = JSON.stringify({ id: "chat", messages: [{ role: "user", content: CANARY }] });

let api: Api;
let sessionId: string;
let path: string;

beforeAll(async () => {
  api = await Api.of(product, "bad-requests");
  sessionId = await api.createSession();
  path = `/api/sessions/${sessionId}/chat`;
});

afterEach(async () => {
  await expectUnharmed(api, sessionId);
  expectNotLogged(product, CANARY);
});

function send(method: string, where: string, init: RequestInit = {}): Promise<Response> {
  return fetch(product.url + where, { ...init, method, headers: { ...api.headers, ...init.headers } });
}

/** Who is refused before all of the request was sent may not get to read why. */
function hangUp({ cause }: { cause?: { code?: string } }): string | undefined {
  return cause?.code;
}

/** What the server answers to bytes that no client library would send. */
async function sendRaw(head: string, body: string | Uint8Array = ""): Promise<string> {
  const { hostname, port } = new URL(product.url);
  const socket = createConnection(Number(port), hostname);
  const authorization = `authorization: ${api.headers.authorization}`;
  socket.write(`${head}\r\nhost: ${hostname}\r\n${authorization}\r\nconnection: close\r\n\r\n`);
  socket.write(body);
  return readAll(socket);
}

describe("headers", () => {
  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "nonsense", "text/html; x"])(
    "SSE1: the body is JSON whatever its content type says: %j",
    async (type) => {
      await expectWholeStream(await send("POST", path, { body: EMPTY, headers: { "content-type": type } }));
      await expectRefusal(
        await send("POST", path, { body: `<${CANARY}>`, headers: { "content-type": type } }),
        400,
        "bad_json",
      );
    },
  );

  it.each(["gzip", "deflate", "br"])("SSE3: a compressed body (%s) is not read", async (encoding) => {
    const headers = { "content-type": "application/json", "content-encoding": encoding };
    await expectRefusal(await send("POST", path, { body: gzipSync(TOLD), headers }), 400, "bad_json");
  });

  it("SSE3: a body in UTF-16 is not read; one with a byte order mark is", async () => {
    await expectRefusal(await send("POST", path, { body: Buffer.from(`\ufeff${TOLD}`, "utf16le") }), 400, "bad_json");
    await expectWholeStream(await send("POST", path, { body: `\ufeff${EMPTY}` }));
  });

  it.each(["approvals", "on-disconnect", "events"])("SSE12: a value nobody knows for %s", async (name) => {
    const headers = { [`x-agent-ops-${name}`]: CANARY };
    await expectRefusal(await send("POST", path, { body: EMPTY, headers }), 400, "bad_request");
    await expectRefusal(await send("GET", `${path}/x/stream`, { headers }), 400, "bad_request");
  });

  it.each(["approvals", "onDisconnect", "events", "channelId"])(
    "SSE12: %s of a wrong type in the body, and in the query",
    async (name) => {
      const wrong = { ...JSON.parse(EMPTY), [name]: { [CANARY]: 1 } };
      await expectRefusal(await send("POST", path, { body: JSON.stringify(wrong) }), 400, "bad_request");
      const value = name === "channelId" ? "x".repeat(129) : CANARY;
      await expectRefusal(await send("POST", `${path}?${name}=${value}`, { body: EMPTY }), 400, "bad_request");
    },
  );

  it("ACL1: a header that pretends to know who is asking changes nothing", async () => {
    const mallory = await Api.of(product, "mallory");
    const headers = { ...mallory.headers, "x-agent-ops-user": "bad-requests" };
    await expectRefusal(await fetch(product.url + path, { method: "POST", body: TOLD, headers }), 404, "not_found");
  });
});

describe("methods", () => {
  it("SSE3: HEAD is refused, also while a turn runs", async () => {
    const turn = await api.chat(sessionId, "/stream 20 20");
    for (const where of [path, `${path}/x/stream`, "/api/chat", "/api/chat/x/stream", "/api/sessions"]) {
      const response = await send("HEAD", where);
      expect([response.status, response.headers.get("x-error-code")]).toEqual([405, "method_not_allowed"]);
    }
    await expectWholeStream(turn);
  });

  it("SSE11: OPTIONS is answered at once", async () => {
    const response = await send("OPTIONS", path, { body: EMPTY });
    expect([response.status, await response.text()]).toEqual([204, ""]);
  });

  it.each(["PUT", "PATCH", "DELETE", "PROPFIND"])("SSE3: %s is refused with what is possible", async (method) => {
    const response = await send(method, path);
    expect(response.headers.get("allow")).toBe("POST, GET");
    await expectRefusal(response, 405, "method_not_allowed");
    await expectRefusal(await send(method, "/api/chat"), 405, "method_not_allowed");
  });

  it("SSE3: GET without an upgrade is told that POST is meant", async () => {
    await expectRefusal(await send("GET", path), 400, "bad_request");
    await expectRefusal(await send("GET", "/api/chat"), 405, "method_not_allowed");
  });
});

describe("queries and paths", () => {
  const BAD = ["-1", "1.5", "abc", "", "%20", "1e3", "0x10", "NaN", "Infinity", "99999999999999999999", "1,2", "null"];

  it.each(BAD)("SSE8 SSE9: %j is no whole number, for startIndex and for wait", async (value) => {
    for (const where of [`${path}/x/stream`, "/api/chat/chat/stream"]) {
      await expectRefusal(await send("GET", `${where}?startIndex=${value}`), 400, "bad_request");
      await expectRefusal(await send("GET", `${where}?wait=${value}`), 400, "bad_request");
    }
  });

  it("SSE9: nobody waits for more than 25 s", async () => {
    await expectRefusal(await send("GET", `${path}/x/stream?wait=26`), 400, "bad_request");
    expect((await send("GET", `${path}/x/stream?wait=0`)).status).toBe(204);
  });

  it("SSE8: an index far beyond the end of a turn is said to be none", async () => {
    const turn = await api.chat(sessionId, "/empty");
    const turnId = turn.headers.get("x-workflow-run-id");
    await turn.text();
    const beyond = await send("GET", `${path}/${turnId}/stream?startIndex=999999999999999`);
    expect(sseChunks(await beyond.text())).toEqual([{ type: "error", errorText: expect.any(String) }]);
  });

  it("SSE3: a query of 100,000 characters is ignored, one of 1,000,000 refused", async () => {
    const query = (size: number) => `${path}/x/stream?q=${CANARY.padEnd(size, "x")}`;
    expect((await send("GET", query(100_000))).status).toBe(204);
    const refused = await send("GET", query(1_000_000)).then(({ status }) => status, hangUp);
    expect([431, "ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]).toContain(refused);
  });

  it("SSE6: whatever a chat's name is, nothing runs there", async () => {
    for (const name of ["%00", "%ff", "%E0%A4%A", "..%2f..%2fsecrets", "__proto__", "x".repeat(5000), "%F0%9F%92%A5"]) {
      expect((await send("GET", `${path}/${name}/stream`)).status).toBe(204);
    }
  });
});

describe("bytes on the wire", () => {
  it("SSE3: a body that comes in pieces is read whole", async () => {
    const piece = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
    const head = `POST ${path} HTTP/1.1\r\ntransfer-encoding: chunked`;
    const whole = await sendRaw(head, `${piece(EMPTY.slice(0, 9))}${piece(EMPTY.slice(9))}0\r\n\r\n`);
    expect(whole).toMatch(/^HTTP\/1\.1 200 /);
    expect(whole).toContain("data: [DONE]");
  });
});
