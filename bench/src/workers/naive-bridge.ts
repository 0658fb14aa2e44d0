import { DurableObject } from "cloudflare:workers";

type Env = { ACTORS: DurableObjectNamespace<Room> };
type FeedEvent = { type: string; delta?: string };

/** Passes each event on to each reader as a message of its own, and stores nothing. */
export class Room extends DurableObject<Env> {
  #readers = new Set<WebSocket>();

  override fetch(request: Request): Response {
    const [client, server] = Object.values(new WebSocketPair());
    if (!client || !server) return new Response(null, { status: 500 });
    server.accept();
    if (new URL(request.url).pathname.startsWith("/feed/")) {
      server.addEventListener("message", ({ data }) => this.#onFeed(String(data)));
    } else {
      this.#readers.add(server);
      server.addEventListener("close", () => this.#readers.delete(server));
    }
    return new Response(null, { status: 101, webSocket: client });
  }

  #onFeed(text: string): void {
    const events: FeedEvent[] = JSON.parse(text);
    for (const event of events) {
      const message = JSON.stringify(event);
      for (const reader of this.#readers) reader.send(message);
    }
  }
}

const encoder = new TextEncoder();
const frame = (chunk: object) => encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`);

/** For each request a socket to the actor, and for each message on it a write. */
async function chat(stub: DurableObjectStub, url: string): Promise<Response> {
  const upgraded = await stub.fetch(url, { headers: { upgrade: "websocket" } });
  const socket = upgraded.webSocket;
  if (!socket) return new Response("The actor took no socket.", { status: 502 });
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const write = (bytes: Uint8Array) => void writer.write(bytes).catch(() => socket.close());
  write(frame({ type: "start" }));
  write(frame({ type: "text-start", id: "text-1" }));
  socket.accept();
  socket.addEventListener("message", ({ data }) => {
    const event: FeedEvent = JSON.parse(String(data));
    if (event.type !== "message.finalize") {
      write(frame({ type: "text-delta", id: "text-1", delta: event.delta }));
      return;
    }
    write(frame({ type: "text-end", id: "text-1" }));
    write(frame({ type: "finish" }));
    write(encoder.encode("data: [DONE]\n\n"));
    void writer.close().catch(() => undefined);
    socket.close();
  });
  return new Response(readable, { headers: { "content-type": "text/event-stream", "cache-control": "no-cache" } });
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const session = new URL(request.url).pathname.split("/").at(-1) ?? "";
    const stub = env.ACTORS.get(env.ACTORS.idFromName(session));
    if (request.headers.get("upgrade")) return stub.fetch(request);
    await request.arrayBuffer();
    return chat(stub, request.url);
  },
};
