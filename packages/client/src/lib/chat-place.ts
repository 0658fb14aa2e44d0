import type { ChatPlace } from "../hooks/use-ai-chat.ts";
import { type Api, sessionPath } from "./api.ts";

type PlaceOptions = { api: Api; server?: string; sessionId: string; token: ChatPlace["token"] };

/** Where the AI SDK's hook finds a session. */
export function placeIn({ api, server = "", sessionId, token }: PlaceOptions): ChatPlace {
  return {
    sessionId,
    url: server + sessionPath(sessionId, "chat"),
    token,
    history: (before) => api.uiMessages(sessionId, before),
    stop: () => api.abort(sessionId),
    answer: (questionId, answer) => api.answer(sessionId, questionId, answer),
  };
}
