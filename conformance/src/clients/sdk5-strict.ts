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
  constructor({ id, onStatus, ...options }: ChatSettings) {
    super({ id, transport: new DefaultChatTransport(options), state: new MemoryState<UIMessage>(onStatus) });
  }
}

export const sdk5Strict: Sdk = {
  openChat: (settings) => new MemoryChat(settings),
  chunkSchema: uiMessageChunkSchema,
  validateMessages: (messages) => validateUIMessages({ messages }),
};
