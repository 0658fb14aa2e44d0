import type { Answer } from "@agent-ops/shared/questions";
import { createContext, useContext } from "react";
import type { QuestionState } from "../../lib/session-model.ts";

export type Questions = Readonly<Record<string, QuestionState>>;

/** What the messages of a conversation share, over whichever connection it comes. */
export type Conversation = {
  questions: Questions;
  /** Whether this person may write and answer. */
  canWrite: boolean;
  /** Whether they may also let a tool run. */
  canApprove: boolean;
  /** Whether they may take back what was said: edit a message, have an answer written again. */
  canRewrite: boolean;
  onAnswer: (questionId: string, answer: Answer) => void;
  onEdit: (messageId: string, text: string) => void;
  onRegenerate: (turnId: string) => void;
};

const ChatContext = createContext<Conversation | undefined>(undefined);

export const ConversationProvider = ChatContext.Provider;

export function useConversation(): Conversation {
  const conversation = useContext(ChatContext);
  if (!conversation) throw new Error("A message is shown outside of a conversation.");
  return conversation;
}
