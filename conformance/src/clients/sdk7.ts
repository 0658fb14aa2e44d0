import {
  AbstractChat,
  type ChatTransport,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
  uiMessageChunkSchema,
  validateUIMessages,
} from "ai7";
import { MemoryState } from "./memory-state.ts";
import type { ChatSettings, Sdk } from "./sdk.ts";

class MemoryChat extends AbstractChat<UIMessage> {
  constructor({ id, onChange, onData, history }: ChatSettings, transport: ChatTransport<UIMessage>) {
    super({
      id,
      transport,
      state: new MemoryState<UIMessage>(onChange, history),
      onData,
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
  }
}

/** A chat over another transport than the SDK's default. */
export function openChatOver(transport: ChatTransport<UIMessage>): Sdk["openChat"] {
  return (settings) => new MemoryChat(settings, transport);
}

export const sdk7: Sdk = {
  openChat: (settings) => {
    const { api, headers, body, fetch } = settings;
    return new MemoryChat(settings, new DefaultChatTransport({ api, headers, fetch, ...(body ? { body } : {}) }));
  },
  chunkSchema: uiMessageChunkSchema,
  validateMessages: (messages) => validateUIMessages({ messages }),
};
