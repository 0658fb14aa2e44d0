import type { Conversation } from "./conversation.ts";
import type { Reply } from "./reply.ts";

/** A frame of a stream: its data, and its name where the dialect has names. */
export interface Frame {
  event?: string;
  data: unknown;
}

/** How one vendor's protocol says what all of them say. */
export interface Dialect {
  name: string;
  /** Whether a request for this path is in this dialect. */
  takes(path: string): boolean;
  read(body: unknown, path: string): Conversation;
  /** Frames before, for each piece, and after. A frame whose data is a string goes out as it is. */
  stream(reply: Reply, model: string): { open: Frame[]; pieces: Frame[][]; close: Frame[] };
  whole(reply: Reply, model: string): unknown;
  error(status: number, message: string): unknown;
}
