import { MessageCircle } from "lucide-react";
import { useMemo, useRef } from "react";
import { AiConversation } from "../components/chat/ai-conversation.tsx";
import { EmptyState } from "../components/ui/empty-state.tsx";
import { createApi } from "../lib/api.ts";
import { placeIn } from "../lib/chat-place.ts";
import { type TokenSource, tokenReader } from "./token-source.ts";

export type AgentChatProps = {
  /** Where Agent Ops is, for example "https://agents.example.com". */
  server: string;
  sessionId: string;
  /** A widget token, or where this page's own server hands them out. It must keep its identity. */
  token: TokenSource;
  title?: string;
  greeting?: string;
};

/** A session's chat on any page. It fills its parent. */
export function AgentChat({ server, sessionId, token, title = "Chat", greeting }: AgentChatProps) {
  const input = useRef<HTMLTextAreaElement>(null);
  const place = useMemo(() => {
    const read = tokenReader(token);
    const api = createApi({ server, token: read, onUnauthorized: () => undefined });
    return placeIn({ api, server, sessionId, token: read });
  }, [server, sessionId, token]);
  return (
    <section aria-label={title} className="agent-ops flex h-full min-h-0 flex-col bg-surface!">
      <AiConversation
        place={place}
        label="Your message"
        placeholder="Write a message"
        trusted={false}
        input={input}
        empty={() => (
          <EmptyState icon={MessageCircle} title={greeting ?? "How can we help?"} text="Answers come from an agent." />
        )}
      />
    </section>
  );
}
