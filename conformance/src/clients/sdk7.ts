import {
  AbstractChat,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
  uiMessageChunkSchema,
  validateUIMessages,
} from "ai7";
import { MemoryState } from "./memory-state.ts";
import type { ChatSettings, Sdk } from "./sdk.ts";

class MemoryChat extends AbstractChat<UIMessage> {
  constructor({ id, onChange, onData, history, ...options }: ChatSettings) {
    super({
      id,
      transport: new DefaultChatTransport(options),
      state: new MemoryState<UIMessage>(onChange, history),
      onData,
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
  }
}

export const sdk7: Sdk = {
  openChat: (settings) => new MemoryChat(settings),
  chunkSchema: uiMessageChunkSchema,
  validateMessages: (messages) => validateUIMessages({ messages }),
};
