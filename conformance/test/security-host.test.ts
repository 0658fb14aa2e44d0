import { request } from "node:http";
import { describe, expect, inject, it } from "vitest";
import { type Answer, knock } from "../src/access/knock.ts";
import { Api } from "../src/api.ts";

const product = inject("product");

type Call = { method?: string; socket?: boolean; headers?: Record<string, string> };

function send(url: string, host: string, { method = "GET", socket = false, headers = {} }: Call = {}): Promise<Answer> {
  return knock(url, { user: "", headers: { ...headers, host } }, { method, socket });
}

/** The status of a request whose first line has a whole address. */
async function sendAbsolute(address: string, host: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const outgoing = request(product.url, { path: address, headers: { host }, agent: false }, (response) => {
    resolve(response.statusCode ?? 0);
    response.destroy();
  });
  outgoing.once("error", reject).end();
  return promise;
}

const portOf = (url: string) => new URL(url).port;

describe("SEC3: where only this machine connects", () => {
  const STRANGE = [
    "evil.example",
    "localhost.evil.example",
    "evil.localhost.example",
    "127.0.0.1.evil.example",
    "127.0.0.1.nip.io",
    "169.254.169.254",
    "0.0.0.0",
    "192.168.1.10",
    "[::]",
    "[::ffff:10.0.0.1]",
  ];

  it.each(STRANGE)("SEC3: nothing is served under the name %s", async (name) => {
    const { headers } = await Api.of(product);
    for (const path of ["/", "/healthz", "/metrics", "/api/me", "/api/sessions"]) {
      const { status, code, body } = await send(product.url + path, `${name}:${portOf(product.url)}`, { headers });
      expect([status, code]).toEqual([403, "forbidden"]);
      expect(JSON.parse(body).message).toContain("ALLOWED_HOSTS");
    }
  });

  it("SEC3: nor a WebSocket, a sign-in or a preflight", async () => {
    const api = await Api.of(product);
    const path = `/api/sessions/${await api.createSession()}/ws`;
    const { headers } = api;
    const evil = (target: string, call: Call) => send(product.url + target, "evil.example", call);
    expect((await evil(path, { socket: true, headers })).status).toBe(403);
    expect((await evil("/api/auth/exchange", { method: "POST" })).status).toBe(403);
    const origin = { origin: "https://widget.example", "access-control-request-method": "POST" };
    expect((await evil("/api/chat", { method: "OPTIONS", headers: origin })).status).toBe(403);
  });

  /** The runtime itself refuses some of these, before we see them. */
  it.each(["localhost@evil.example", "localhost evil.example", "localhost:99999", "localhost, evil.example"])(
    "SEC3: nor under what is no name: %s",
    async (name) => {
      expect([400, 403, 500]).toContain((await send(`${product.url}/healthz`, name)).status);
      expect((await send(`${product.url}/healthz`, "localhost")).status).toBe(200);
    },
  );

  it("SEC3: nor when the request's own address names another host", async () => {
    const local = `127.0.0.1:${portOf(product.url)}`;
    for (const [address, host] of [
      ["http://evil.example/healthz", local],
      [`http://${local}/healthz`, "evil.example"],
    ] as const) {
      expect([400, 403, 500]).toContain(await sendAbsolute(address, host));
    }
  });

  it.each(["localhost", "LOCALHOST", "127.0.0.1", "127.0.0.2", "[::1]"])("SEC3: it is known as %s", async (name) => {
    for (const host of [name, `${name}:${portOf(product.url)}`, `${name}:9`]) {
      expect((await send(`${product.url}/healthz`, host)).status).toBe(200);
    }
  });
});
