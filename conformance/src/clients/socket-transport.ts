import { type UIMessage, WebSocketChatTransport } from "ai7";
import { WebSocket } from "ws";
import type { Api } from "../api.ts";

export type SocketFrame = {
  readonly type: string;
  readonly requestId: string;
  readonly sequence?: number;
  readonly chunk?: { type: string; [key: string]: unknown };
};

/** The SDK's own WebSocket transport, with a ticket for each connection and a record of what came. */
export class SocketLine {
  readonly frames: SocketFrame[] = [];
  readonly transport: WebSocketChatTransport<UIMessage>;
  #sockets: WebSocket[] = [];

  constructor(api: Api, sessionId: string, headers: Record<string, string> = {}) {
    const take = (socket: WebSocket) => this.#take(socket);
    this.transport = new WebSocketChatTransport({
      url: `${api.url}/api/sessions/${sessionId}/chat`,
      headers,
      params: async () => ({ ticket: await api.ticket(sessionId) }),
      webSocket: class extends WebSocketPort {
        constructor(url: string | URL, protocols?: string | string[]) {
          super(new WebSocket(url, protocols), take);
        }
      },
    });
  }

  /** How many connections there were. */
  get connections(): number {
    return this.#sockets.length;
  }

  /** The connection breaks. */
  cut(): void {
    this.#sockets.at(-1)?.terminate();
  }

  /** Something that the SDK would not send. */
  send(text: string): void {
    this.#sockets.at(-1)?.send(text);
  }

  close(): void {
    this.transport.close();
  }

  /** What each request got, in the order of their first frames. */
  streams(): SocketFrame[][] {
    return [...Map.groupBy(this.frames, ({ requestId }) => requestId).values()];
  }

  #take(socket: WebSocket): void {
    this.#sockets.push(socket);
    socket.on("message", (data) => this.frames.push(JSON.parse(String(data))));
  }
}

/** The little that the transport wants of a WebSocket. */
class WebSocketPort {
  onopen: ((event: unknown) => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onerror: ((event: unknown) => void) | null = null;
  onclose: ((event: unknown) => void) | null = null;
  readonly #socket: WebSocket;

  constructor(socket: WebSocket, take: (socket: WebSocket) => void) {
    this.#socket = socket;
    take(socket);
    socket.onopen = (event) => this.onopen?.(event);
    socket.onmessage = (event) => this.onmessage?.({ data: event.data });
    socket.onerror = (event) => this.onerror?.(event);
    socket.onclose = (event) => this.onclose?.(event);
  }

  get readyState(): number {
    return this.#socket.readyState;
  }

  get bufferedAmount(): number {
    return this.#socket.bufferedAmount;
  }

  send(data: string | Uint8Array | ArrayBuffer): void {
    this.#socket.send(data);
  }

  close(code?: number, reason?: string): void {
    this.#socket.close(code, reason);
  }
}
