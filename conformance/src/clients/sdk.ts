import type { MemoryState } from "./memory-state.ts";

/** A message as any release of the SDK keeps it. */
export type ClientMessage = {
  readonly id: string;
  readonly role: string;
  readonly parts: readonly { readonly type: string; readonly state?: string }[];
  readonly metadata?: unknown;
};

export type ApprovalAnswer = { id: string; approved: boolean; reason?: string };

/** The part of the SDK's `AbstractChat` that all releases share, and approvals where there are any. */
export type SdkChat = {
  readonly messages: readonly ClientMessage[];
  readonly status: MemoryState<ClientMessage>["status"];
  readonly error: Error | undefined;
  sendMessage(message: { text: string }): Promise<void>;
  regenerate(): Promise<void>;
  resumeStream(): Promise<void>;
  stop(): Promise<void>;
  addToolApprovalResponse?(answer: ApprovalAnswer): void | PromiseLike<void>;
};

export type ChatSettings = {
  readonly id: string;
  readonly api: string;
  readonly headers: Record<string, string>;
  readonly fetch: typeof fetch;
  readonly onStatus: () => void;
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
