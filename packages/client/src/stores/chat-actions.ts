import type { ClientCommand } from "@agent-ops/shared/frames";
import type { Message } from "@agent-ops/shared/message-parts";
import type { Answer } from "@agent-ops/shared/questions";
import { describeError } from "../lib/api-error.ts";
import { addNotice, addOlder, addPending, dismissNotice, dropPending, type PromptDraft } from "../lib/session-model.ts";
import { api } from "./services.ts";
import type { SessionStoreApi } from "./session-store.ts";
import { countAct } from "./telemetry.ts";

export type ChatActions = ReturnType<typeof createChatActions>;

type Deps = {
  sessionId: string;
  store: SessionStoreApi;
  /** False where there is no live connection. */
  send: (command: ClientCommand) => boolean;
  retry: () => void;
};

/** What a person can do in a session. */
export function createChatActions({ sessionId, store, send, retry }: Deps) {
  const { update } = store.getState();
  const sendNow = (command: ClientCommand) => {
    const sent = send(command);
    if (!sent) update((state) => addNotice(state, "warning", "Not connected right now. Try again in a moment."));
    return sent;
  };
  const attempt = (work: Promise<unknown>) => {
    work.catch((error: unknown) => update((state) => addNotice(state, "error", describeError(error))));
  };
  return {
    prompt: (draft: PromptDraft) => {
      const id = crypto.randomUUID();
      update((state) => addPending(state, id, draft));
      send({ type: "prompt", id, ...draft });
      countAct("prompt sent");
    },
    stop: () => sendNow({ type: "abort" }),
    answer: (questionId: string, answer: Answer) => {
      if (sendNow({ type: "answer", questionId, answer }) && "approved" in answer) countAct("approval answered");
    },
    withdraw: (promptId: string) => sendNow({ type: "withdraw", promptId }),
    forget: (promptId: string) => update((state) => dropPending(state, promptId)),
    dismiss: (noticeId: number) => update((state) => dismissNotice(state, noticeId)),
    edit: (message: Message, text: string) => attempt(api.editMessage(sessionId, { ...replacementOf(message), text })),
    regenerate: (turnId: string) => {
      const prompt = store
        .getState()
        .state.messages.findLast(({ role, turnId: of }) => role === "user" && of === turnId);
      if (prompt) attempt(api.regenerate(sessionId, replacementOf(prompt)));
    },
    askDiff: () => sendNow({ type: "diff", requestId: crypto.randomUUID() }),
    loadDiff: () => attempt(loadDiff(sessionId, store)),
    askReview: () => sendNow({ type: "review", requestId: crypto.randomUUID() }),
    loadOlder: () => loadOlder(sessionId, store),
    retry,
  };
}

/** A person's message as the chat route takes it. */
function replacementOf(message: Message) {
  const text = message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  return { messageId: message.id, text, files: message.parts.filter((part) => part.type === "file") };
}

/** The latest changes that the session knows, unless the runner tells newer ones meanwhile. */
async function loadDiff(sessionId: string, store: SessionStoreApi): Promise<void> {
  const { update, state } = store.getState();
  const files = await api.diff(sessionId);
  update((current) =>
    current.diff === state.diff ? { ...current, diff: { type: "diff", requestId: "", files } } : current,
  );
}

/** One page of what came before; resolves to whether there was one. */
async function loadOlder(sessionId: string, store: SessionStoreApi): Promise<boolean> {
  const { update, state } = store.getState();
  const { before } = state;
  if (before === undefined) return false;
  try {
    const page = await api.olderMessages(sessionId, before);
    update((current) => addOlder(current, before, page));
    return true;
  } catch (error) {
    update((current) => addNotice(current, "error", describeError(error)));
    return false;
  }
}
