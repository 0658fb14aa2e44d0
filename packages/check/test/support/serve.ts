import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

export type Handler = (request: Request) => Response | Promise<Response>;
export type Server = { readonly url: URL; close(): Promise<void> };

/** A handler of web requests on a real socket. A reader that leaves cancels the body. */
export async function serve(handler: Handler): Promise<Server> {
  const server = createServer((incoming, outgoing) => void answer(handler, incoming, outgoing));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port.");
  return {
    url: new URL(`http://127.0.0.1:${address.port}/api/chat`),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(handler: Handler, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { method = "GET", url = "/" } = incoming;
  const body = method === "POST" ? await text(incoming) : undefined;
  const response = await handler(new Request(new URL(url, "http://test"), { method, body }));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  const reader = response.body?.getReader();
  outgoing.once("close", () => void reader?.cancel().catch(() => {}));
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) outgoing.write(read.value);
  outgoing.end();
}
