import type { ReaderPlan } from "../readers/protocol.ts";

export const SYSTEM_NAMES = ["adapter", "socket", "naive", "ai-node", "ai-chat"] as const;
export type SystemName = (typeof SYSTEM_NAMES)[number];

export const SYSTEM_TITLES: Record<SystemName, string> = {
  adapter: "ours: the chat adapter",
  socket: "ours: a V2 WebSocket reader",
  naive: "naive bridge on workerd",
  "ai-node": "ai 7 on Node",
  "ai-chat": "@cloudflare/ai-chat on workerd",
};

/** One session of a system: readers are let in, then it is fed deltas. */
export interface FedSession {
  /** How its reader number `index` is let in. The first one begins the turn. */
  plan(index: number): ReaderPlan;
  /** Resolves when the turn has begun and deltas reach its readers. */
  begun(): Promise<void>;
  /** Sends deltas in one message. */
  send(deltas: readonly string[]): void;
  /** Says that the turn is over. */
  finish(): void;
  /** Bytes that have not left this process. */
  backlog(): number;
  close(): void;
}

/** Something that streams deltas to readers. */
export interface System {
  readonly name: SystemName;
  /** The process whose memory and time count. */
  readonly pid: number;
  open(sessions: number): Promise<FedSession[]>;
}

export function deltaEvent(turnId: string, delta: string): string {
  return `{"type":"message.part.text-delta","turnId":"${turnId}","delta":"${delta}"}`;
}
