import type { MemoryState } from "./memory-state.ts";

export type ClientPart = {
  readonly type: string;
  readonly state?: string;
  readonly id?: string;
  readonly text?: string;
  readonly toolCallId?: string;
};

/** A message as any release of the SDK keeps it. */
export type ClientMessage = {
  readonly id: string;
  readonly role: string;
  readonly parts: readonly ClientPart[];
  readonly metadata?: unknown;
};

export type ApprovalAnswer = { id: string; approved: boolean; reason?: string };

/** The part of the SDK's `AbstractChat` that all releases share, and approvals where there are any. */
export type SdkChat = {
  messages: readonly ClientMessage[];
  readonly status: MemoryState<ClientMessage>["status"];
  readonly error: Error | undefined;
  sendMessage(message: { text: string; messageId?: string }): Promise<void>;
  regenerate(options?: { messageId?: string }): Promise<void>;
  resumeStream(): Promise<void>;
  stop(): Promise<void>;
  addToolApprovalResponse?(answer: ApprovalAnswer): void | PromiseLike<void>;
};

export type ChatSettings = {
  readonly id: string;
  readonly api: string;
  readonly headers: Record<string, string>;
  readonly fetch: typeof fetch;
  /** Fields to send with every request. */
  readonly body?: Record<string, unknown>;
  /** The messages to begin with, as JSON. */
  readonly history?: string;
  readonly onChange: () => void;
  readonly onData: (part: { type: string; data: unknown }) => void;
};

type ChunkSchema = () => {
  validate?: (value: unknown) => ChunkVerdict | PromiseLike<ChunkVerdict>;
};
type ChunkVerdict = { success: true } | { success: false; error: Error };

/** One release of the SDK. */
export type Sdk = {
  openChat(settings: ChatSettings): SdkChat;
  readonly chunkSchema: ChunkSchema;
  validateMessages(messages: unknown): Promise<unknown>;
};
