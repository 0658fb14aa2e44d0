import { request } from "node:http";
import type { AccessScene } from "./access-scene.ts";
import type { Caller } from "./identities.ts";
import type { Row } from "./route-table.ts";

/** What the product answered; the body of a stream is not waited for. */
export type Answer = { status: number; code: string | undefined; body: string };

/** The path of a row in a scene, or with another session's id. */
export function pathOf({ route, params, query = "" }: Row, scene: AccessScene, sessionId = scene.sessionId): string {
  const values: Record<string, string> = { id: sessionId, ...params?.(scene) };
  const path = route.replace(/^\w+ /, "").replace("*", "");
  return path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? name)) + query;
}

/** One request with exactly these headers: `fetch` would not let an `Origin` or an upgrade through. */
export async function knock(
  url: string,
  caller: Caller,
  { method, body, socket = false }: { method: string; body?: unknown; socket?: boolean },
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const outgoing = request(url, { method, headers: { ...caller.headers, ...(socket ? UPGRADE : {}) }, agent: false });
  outgoing.once("error", reject);
  outgoing.once("upgrade", (_response, connection) => {
    connection.destroy();
    resolve({ status: 101, code: undefined, body: "" });
  });
  outgoing.once("response", (response) => {
    const status = response.statusCode ?? 0;
    const code = response.headers["x-error-code"];
    const answer = (text: string) => resolve({ status, code: typeof code === "string" ? code : undefined, body: text });
    if (response.headers["content-type"]?.startsWith("text/event-stream")) {
      response.destroy();
      return answer("");
    }
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (piece: string) => {
      text += piece;
    });
    response.once("end", () => answer(text));
  });
  outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

const UPGRADE = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": Buffer.from("a key of 16 byte").toString("base64"),
};
