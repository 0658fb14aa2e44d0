import type { UserPresence } from "@agent-ops/shared/events";
import { z } from "zod";
import type { ReaderSocket } from "./socket-readers.ts";

/** What a socket remembers about itself while the actor sleeps. */
const attachment = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("runner") }),
  /** A V2 reader; `behind` is how far it got, while it lags. */
  z.object({ kind: z.literal("client"), user: z.string(), behind: z.number().optional() }),
  /** The AI SDK's WebSocket chat transport. */
  z.object({ kind: z.literal("chat"), user: z.string() }),
]);
export type Attachment = z.infer<typeof attachment>;

export function attachmentOf(socket: ReaderSocket): Attachment {
  return attachment.parse(socket.deserializeAttachment());
}

export function rememberBehind(socket: ReaderSocket, behind: number | undefined): void {
  socket.serializeAttachment({ ...attachmentOf(socket), behind });
}

/** The sockets of one session, as the runtime keeps them. */
export class SessionSockets {
  #ctx: DurableObjectState;

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
  }

  get all(): WebSocket[] {
    return this.#ctx.getWebSockets();
  }

  /** Takes a new socket in; `greet` gets our end of it before anything can arrive there. */
  accept(about: Attachment, greet: (socket: WebSocket) => void): Response {
    const pair = new WebSocketPair();
    const server = pair[1];
    this.#ctx.acceptWebSocket(server);
    server.serializeAttachment(about);
    greet(server);
    return new Response(null, { status: 101, webSocket: pair[0] });
  }

  people(except?: WebSocket): UserPresence[] {
    const users = this.all.flatMap((socket) => {
      const about = attachmentOf(socket);
      return socket !== except && about.kind === "client" ? [about.user] : [];
    });
    return [...Map.groupBy(users, (user) => user)].map(([userId, own]) => ({ userId, connections: own.length }));
  }

  /** Closes the sockets of one person, or everybody's. */
  close(code: number, reason: string, user?: string): void {
    for (const socket of this.all) {
      const about = attachmentOf(socket);
      if (user === undefined || (about.kind !== "runner" && about.user === user)) socket.close(code, reason);
    }
  }
}
