import { type RefObject, useMemo } from "react";
import type { ChatPlace } from "../../hooks/use-ai-chat.ts";
import { type Chat, useSession } from "../../hooks/use-chat.ts";
import { useCommands } from "../../hooks/use-commands.ts";
import { placeIn } from "../../lib/chat-place.ts";
import { currentToken } from "../../stores/auth-store.ts";
import { api } from "../../stores/services.ts";
import { countAct } from "../../stores/telemetry.ts";
import { AiConversation } from "../chat/ai-conversation.tsx";
import { queueItems } from "../chat/queue-list.tsx";
import { Suggestions } from "../chat/suggestions.tsx";
import { ModelMenu, useModelChoice } from "./model-menu.tsx";
import { blockedBy } from "./session-rights.ts";

type AiChatPanelProps = { live: Chat; input: RefObject<HTMLTextAreaElement | null> };

/** The same session through the AI SDK's standard hook. */
export function AiChatPanel({ live, input }: AiChatPanelProps) {
  const session = useSession(live, ({ state }) => state.session);
  const commands = useCommands(live);
  const queue = useSession(live, ({ state }) => state.queue);
  const models = useModelChoice(live);
  const place = useMemo(
    () => counted(placeIn({ api, sessionId: live.sessionId, token: currentToken })),
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
        commands={commands}
        queue={{ items: queueItems(queue), onWithdraw: blocked === undefined ? live.actions.withdraw : undefined }}
        model={models.chosen}
        onSent={() => countAct("prompt sent")}
        input={input}
        empty={(send) => <Suggestions agent={session?.agent ?? ""} disabled={blocked !== undefined} onPick={send} />}
      >
        <ModelMenu {...models} />
      </AiConversation>
    </section>
  );
}

function counted(place: ChatPlace): ChatPlace {
  const answer: ChatPlace["answer"] = async (questionId, given) => {
    await place.answer(questionId, given);
    if ("approved" in given) countAct("approval answered");
  };
  return { ...place, answer };
}
