import { AIChatAgent } from "@cloudflare/ai-chat";
import { getAgentByName, routeAgentRequest } from "agents";
import { createUIMessageStreamResponse } from "ai";

/** @cloudflare/ai-chat as its documentation uses it, fed with ready chunks: no model, no tools. */
export class Chat extends AIChatAgent {
  #feed;
  #begun;

  /** The bench's own door; readers come in through the library's. */
  fetch(request) {
    if (!new URL(request.url).pathname.startsWith("/feed/")) return super.fetch(request);
    const { 0: client, 1: server } = new WebSocketPair();
    server.accept();
    server.addEventListener("message", ({ data }) => this.#onFeed(server, JSON.parse(data)));
    return new Response(null, { status: 101, webSocket: client });
  }

  onChatMessage() {
    const stream = new ReadableStream({
      start: (controller) => {
        this.#feed = controller;
        for (const chunk of [{ type: "start" }, { type: "text-start", id: "text-1" }]) controller.enqueue(chunk);
        this.#begun();
      },
    });
    return createUIMessageStreamResponse({ stream });
  }

  #onFeed(socket, events) {
    for (const { type, delta } of events) {
      if (type === "begin") this.#begin(socket);
      else if (type === "message.finalize") this.#finish();
      else this.#feed.enqueue({ type: "text-delta", id: "text-1", delta });
    }
  }

  #begin(socket) {
    this.#begun = () => socket.send("begun");
    const message = { id: "prompt-1", role: "user", parts: [{ type: "text", text: "go" }] };
    this.ctx.waitUntil(this.saveMessages([message]));
  }

  #finish() {
    this.#feed.enqueue({ type: "text-end", id: "text-1" });
    this.#feed.enqueue({ type: "finish" });
    this.#feed.close();
  }
}

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    const agent = pathname.startsWith("/feed/") && (await getAgentByName(env.ACTORS, pathname.split("/").at(-1)));
    return agent
      ? agent.fetch(request)
      : ((await routeAgentRequest(request, env)) ?? new Response(null, { status: 404 }));
  },
};
