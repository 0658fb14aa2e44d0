import { createServer } from "node:http";
import { createUIMessageStream, pipeUIMessageStreamToResponse, type UIMessageStreamWriter } from "ai";
import { WebSocketServer } from "ws";
import { z } from "zod";

const events = z.array(z.object({ type: z.string(), delta: z.string().default("") }));
const TEXT_ID = "text-1";

type Listener = { writer: UIMessageStreamWriter; finish(): void };

/** A chat endpoint as the AI SDK's documentation builds it: a stream for each request, a write for each delta. */
const listeners = new Map<string, Set<Listener>>();

function listenersOf(session: string): Set<Listener> {
  const found = listeners.get(session) ?? new Set();
  listeners.set(session, found);
  return found;
}

function stream(session: string) {
  return createUIMessageStream({
    execute: async ({ writer }) => {
      writer.write({ type: "start" });
      writer.write({ type: "start-step" });
      writer.write({ type: "text-start", id: TEXT_ID });
      const { promise, resolve } = Promise.withResolvers<void>();
      listenersOf(session).add({ writer, finish: resolve });
      await promise;
      writer.write({ type: "text-end", id: TEXT_ID });
      writer.write({ type: "finish-step" });
      writer.write({ type: "finish" });
    },
  });
}

function onFeed(session: string, text: string): void {
  for (const { type, delta } of events.parse(JSON.parse(text))) {
    for (const { writer, finish } of listenersOf(session)) {
      if (type === "message.finalize") finish();
      else writer.write({ type: "text-delta", id: TEXT_ID, delta });
    }
  }
}

const lastSegment = (path: string | undefined) => path?.split("/").at(-1) ?? "";
const server = createServer((request, response) => {
  request.resume();
  pipeUIMessageStreamToResponse({ response, stream: stream(lastSegment(request.url)) });
});
new WebSocketServer({ server, perMessageDeflate: false }).on("connection", (socket, request) => {
  const session = lastSegment(request.url);
  socket.on("message", (data) => onFeed(session, String(data)));
  socket.on("close", () => listeners.delete(session));
});
server.listen(Number(process.env.BENCH_PORT), "127.0.0.1", () => process.send?.({ type: "ready" }));
process.on("disconnect", () => process.exit(0));
