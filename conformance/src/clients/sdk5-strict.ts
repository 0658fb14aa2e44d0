import {
  AbstractChat,
  DefaultChatTransport,
  type UIMessage,
  uiMessageChunkSchema,
  validateUIMessages,
} from "ai5strict";
import { MemoryState } from "./memory-state.ts";
import type { ChatSettings, Sdk } from "./sdk.ts";

class MemoryChat extends AbstractChat<UIMessage> {
  constructor({ id, onChange, onData, history, ...options }: ChatSettings) {
    const state = new MemoryState<UIMessage>(onChange, history);
    super({ id, transport: new DefaultChatTransport(options), state, onData });
  }
}

export const sdk5Strict: Sdk = {
  openChat: (settings) => new MemoryChat(settings),
  chunkSchema: uiMessageChunkSchema,
  validateMessages: (messages) => validateUIMessages({ messages }),
};
