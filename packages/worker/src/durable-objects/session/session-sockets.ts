import { AppError } from "@agent-ops/shared/errors";
import type { UserPresence } from "@agent-ops/shared/events";
import { LIMITS } from "@agent-ops/shared/limits";
import { z } from "zod";
import { type Access, access } from "../../lib/access.ts";
import { SESSION_GONE } from "./runner-link.ts";
import type { ReaderSocket } from "./socket-readers.ts";

/** What a socket remembers about itself while the actor sleeps. */
const attachment = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("runner") }),
  /** A V2 reader; `behind` is how far it got, while it lags. */
  access.extend({ kind: z.literal("client"), behind: z.number().optional(), chunks: z.boolean().optional() }),
  /** The AI SDK's WebSocket chat transport. */
  access.extend({ kind: z.literal("chat") }),
]);
export type Attachment = z.infer<typeof attachment>;

/** Every message asks for it, and to read it from the socket takes longer than the rest of a small one. */
const attachments = new WeakMap<ReaderSocket, Attachment>();

export function attachmentOf(socket: ReaderSocket): Attachment {
  const known = attachments.get(socket) ?? attachment.parse(socket.deserializeAttachment());
  attachments.set(socket, known);
  return known;
}

function attach(socket: ReaderSocket, about: Attachment): void {
  socket.serializeAttachment(about);
  attachments.set(socket, about);
}

export function rememberBehind(socket: ReaderSocket, behind: number | undefined): void {
  const about = attachmentOf(socket);
  if (about.kind === "client") attach(socket, { ...about, behind });
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
    if (about.kind !== "runner") this.#requireRoom(about);
    const pair = new WebSocketPair();
    const server = pair[1];
    this.#ctx.acceptWebSocket(server);
    attach(server, about);
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

  /** When the next right to a socket runs out. */
  get earliestExpiry(): number {
    return Math.min(...this.#holders().map(({ about }) => about.expiresAt));
  }

  /** Closes the sockets of those who may no longer be here. */
  dismiss(isOut: (holder: Access) => boolean, reason: string): void {
    for (const { socket, about } of this.#holders()) if (isOut(about)) socket.close(SESSION_GONE, reason);
  }

  closeAll(reason: string): void {
    for (const socket of this.all) socket.close(SESSION_GONE, reason);
  }

  /** LIM2, LIM3 */
  #requireRoom({ user, widget }: Access): void {
    if (this.all.length >= LIMITS.sockets) {
      throw new AppError("too_many", `A session has at most ${LIMITS.sockets} open sockets.`);
    }
    if (!widget || this.#holders().filter(({ about }) => about.user === user).length < LIMITS.widgetSockets) return;
    throw new AppError("too_many", `A visitor has at most ${LIMITS.widgetSockets} open sockets.`);
  }

  #holders(): { socket: WebSocket; about: Access }[] {
    return this.all.flatMap((socket) => {
      const about = attachmentOf(socket);
      return about.kind === "runner" ? [] : [{ socket, about }];
    });
  }
}
