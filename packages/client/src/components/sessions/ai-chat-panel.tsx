import { type RefObject, useMemo } from "react";
import type { ChatPlace } from "../../hooks/use-ai-chat.ts";
import { type Chat, useSession } from "../../hooks/use-chat.ts";
import { placeIn } from "../../lib/chat-place.ts";
import { commandsOf } from "../../lib/slash-commands.ts";
import { currentToken } from "../../stores/auth-store.ts";
import { api } from "../../stores/services.ts";
import { AiConversation } from "../chat/ai-conversation.tsx";
import { Suggestions } from "../chat/suggestions.tsx";
import { blockedBy } from "./session-rights.ts";

type AiChatPanelProps = { live: Chat; input: RefObject<HTMLTextAreaElement | null> };

/** The same session through the AI SDK's standard hook. */
export function AiChatPanel({ live, input }: AiChatPanelProps) {
  const session = useSession(live, ({ state }) => state.session);
  const place: ChatPlace = useMemo(
    () => placeIn({ api, sessionId: live.sessionId, token: currentToken }),
    [live.sessionId],
  );
  const blocked = blockedBy(session);
  return (
    <section aria-label="Conversation" data-testid="ai-panel" className="flex min-h-0 min-w-0 flex-1 flex-col">
      <AiConversation
        place={place}
        label="Message through useChat"
        placeholder="Message the agent through useChat"
        blocked={blocked}
        trusted
        commands={commandsOf(session?.agent)}
        input={input}
        empty={(send) => <Suggestions agent={session?.agent ?? ""} disabled={blocked !== undefined} onPick={send} />}
      />
    </section>
  );
}
