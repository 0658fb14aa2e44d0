import { LIMITS } from "@agent-ops/shared/limits";
import type { Answer } from "@agent-ops/shared/questions";
import { useChat as useAiSdkChat } from "@ai-sdk/react";
import { DefaultChatTransport, type FileUIPart, type UIMessage } from "ai";
import { useEffect, useMemo, useRef, useState } from "react";
import { z } from "zod";
import { describeError } from "../lib/api-error.ts";
import { type AgentActivity, indexQuestions, type PromptDraft, WAITING } from "../lib/session-model.ts";
import { TurnFollower } from "../lib/turn-follower.ts";
import { questionsOf } from "../lib/ui-message-parts.ts";
import { addToast } from "../stores/toast-store.ts";
import { useWaiting } from "./use-waiting.ts";

/** Where a session's chat is, and how this page comes in. */
export type ChatPlace = {
  sessionId: string;
  /** The session's chat route. */
  url: string;
  token: () => string | undefined | Promise<string | undefined>;
  /** The newest page of the messages, or the one that ends before `before`. */
  history: (before?: number) => Promise<HistoryPage>;
  stop: () => Promise<unknown>;
  answer: (questionId: string, answer: Answer) => Promise<unknown>;
};

export type HistoryPage = { messages: UIMessage[]; before?: number };
export type History = { kind: "loading" } | { kind: "ready"; page: HistoryPage } | { kind: "failed"; text: string };

/** What the hook starts from: the session's history as the server tells it. */
export function useHistory({ history: read }: ChatPlace): History {
  const [history, setHistory] = useState<History>({ kind: "loading" });
  useEffect(() => {
    let current = true;
    read().then(
      (page) => current && setHistory({ kind: "ready", page }),
      (error: unknown) => current && setHistory({ kind: "failed", text: describeError(error) }),
    );
    return () => {
      current = false;
    };
  }, [read]);
  return history;
}

const agentStatus = z.object({ status: z.string(), detail: z.string().optional() });

/** What the data parts of a stream say about the agent. */
function activityIn(part: { type: string; data: unknown }): AgentActivity | undefined {
  if (part.type === "data-question") return WAITING;
  if (part.type === "data-agent-status") return agentStatus.safeParse(part.data).data;
  return part.type === "data-queue" ? { status: "queued", detail: "Waiting for its turn" } : undefined;
}

/** The session through the AI SDK's own `useChat`. A turn outlives this page; stopping it is said to the server. */
export function useAiChat(place: ChatPlace, first: HistoryPage) {
  const follower = useMemo(() => new TurnFollower(() => place.history().then(({ messages }) => messages)), [place]);
  const transport = useMemo(() => createTransport(place, follower), [place, follower]);
  const [activity, setActivity] = useState<AgentActivity>();
  const chat = useAiSdkChat({
    id: place.sessionId,
    messages: first.messages,
    transport,
    throttle: 40,
    onData: (part) => setActivity(activityIn(part)),
    onFinish: () => setActivity(undefined),
  });
  const { setMessages, resumeStream, sendMessage, regenerate, stop: leave } = chat;

  useEffect(() => {
    const show = (page: UIMessage[]) => setMessages((shown) => withOlder(shown, page));
    follower.follow({ show, join: resumeStream });
    return () => follower.stop();
  }, [follower, setMessages, resumeStream]);

  const { waiting, enqueue } = useWaiting(place.sessionId, transport);
  const busy = useRef(false);
  useEffect(() => {
    busy.current = isBusy(chat.status);
  }, [chat.status]);
  const actions = useMemo(
    () => ({
      send: (draft: PromptDraft) => {
        if (busy.current) return void enqueue(draft);
        const { text, attachments = [], model } = draft;
        const files: FileUIPart[] = attachments;
        void follower.aside(() => sendMessage({ text, files }, model === undefined ? {} : { body: { model } }));
      },
      edit: (messageId: string, text: string) => void follower.aside(() => sendMessage({ text, messageId })),
      regenerate: () => void follower.aside(() => regenerate()),
      stop: () => {
        place.stop().catch(() => leave());
      },
    }),
    [follower, place, sendMessage, regenerate, leave, enqueue],
  );
  const { questions, answer } = useAnswers(place, chat.messages);
  const older = useOlder(place, first.before, setMessages);
  const { messages, status, error } = chat;
  return { messages, running: isBusy(status), error, activity, waiting, questions, answer, older, actions };
}

type SetMessages = (change: (shown: UIMessage[]) => UIMessage[]) => void;

/** Pages of what came before the first message, one at a time. */
function useOlder(place: ChatPlace, first: number | undefined, setMessages: SetMessages) {
  const [before, setBefore] = useState(first);
  return useMemo(() => {
    const load = async () => {
      try {
        const page = await place.history(before);
        setMessages((shown) => [...page.messages, ...shown]);
        setBefore(page.before);
      } catch (error) {
        addToast("error", describeError(error));
      }
    };
    return { exist: before !== undefined, load };
  }, [place, before, setMessages]);
}

/** The newest page, after the older messages that were read already: an edit only ever cuts off the end. */
function withOlder(shown: readonly UIMessage[], page: UIMessage[]): UIMessage[] {
  const at = shown.findIndex(({ id }) => id === page[0]?.id);
  return [...shown.slice(0, Math.max(at, 0)), ...page];
}

/** Resuming waits on the server until a turn begins, whoever begins it. */
function createTransport({ url, token }: ChatPlace, follower: TurnFollower): DefaultChatTransport<UIMessage> {
  return new DefaultChatTransport({
    api: url,
    headers: async () => ({ authorization: `Bearer ${(await token()) ?? ""}` }),
    body: { onDisconnect: "detach" },
    prepareReconnectToStreamRequest: ({ api: base, id }) => ({
      api: `${base}/${id}/stream?wait=${LIMITS.waitSeconds}`,
    }),
    fetch: follower.fetch,
  });
}

/** Answers go over the questions route; the stream then tells the question again with its answer. */
function useAnswers(place: ChatPlace, messages: readonly UIMessage[]) {
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({});
  const questions = useMemo(() => {
    const asked = indexQuestions(messages.flatMap(questionsOf));
    const told = Object.entries(errors).flatMap(([id, error]) => (asked[id] ? [[id, { ...asked[id], error }]] : []));
    return { ...asked, ...Object.fromEntries(told) };
  }, [messages, errors]);
  const answer = useMemo(
    () => (questionId: string, given: Answer) => {
      place.answer(questionId, given).catch((error: unknown) => {
        setErrors((before) => ({ ...before, [questionId]: describeError(error) }));
      });
    },
    [place],
  );
  return { questions, answer };
}

function isBusy(status: string): boolean {
  return status === "submitted" || status === "streaming";
}
