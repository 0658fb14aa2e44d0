import type { ChatTransport, UIMessage, UIMessageChunk } from "ai";
import { useMemo, useState } from "react";
import { z } from "zod";
import { describeError } from "../lib/api-error.ts";
import type { PromptDraft } from "../lib/session-model.ts";
import { addToast } from "../stores/toast-store.ts";

export type WaitingPrompt = { promptId: string; text: string; note: string };

const queueData = z.object({ position: z.number() });

/**
 * Messages that were sent while a turn runs. `useChat` has room for one answer at a time, so these are sent beside it:
 * the session lets them wait and says how many are before them, and when one's turn begins it is joined like anybody's.
 */
export function useWaiting(chatId: string, transport: ChatTransport<UIMessage>) {
  const [waiting, setWaiting] = useState<readonly WaitingPrompt[]>([]);
  const enqueue = useMemo(() => {
    const forget = (id: string) => setWaiting((before) => before.filter(({ promptId }) => promptId !== id));
    const note = (id: string, text: string) =>
      setWaiting((before) => before.map((entry) => (entry.promptId === id ? { ...entry, note: text } : entry)));
    return async ({ text, attachments = [], model }: PromptDraft) => {
      const id = crypto.randomUUID();
      const leaving = new AbortController();
      setWaiting((before) => [...before, { promptId: id, text, note: "" }]);
      try {
        const stream = await transport.sendMessages({
          trigger: "submit-message",
          chatId,
          messageId: undefined,
          messages: [{ id, role: "user", parts: [...attachments, { type: "text", text }] }],
          abortSignal: leaving.signal,
          ...(model === undefined ? {} : { body: { model } }),
        });
        await untilItBegins(stream, (position) => note(id, placeIn(position)));
      } catch (error) {
        addToast("error", describeError(error));
      } finally {
        forget(id);
        leaving.abort();
      }
    };
  }, [chatId, transport]);
  return { waiting, enqueue };
}

async function untilItBegins(
  stream: ReadableStream<UIMessageChunk>,
  onPosition: (position: number) => void,
): Promise<void> {
  const reader = stream.getReader();
  for (;;) {
    const { value } = await reader.read();
    if (value?.type !== "data-queue") return;
    const { data } = queueData.safeParse(value.data);
    if (data) onPosition(data.position);
  }
}

function placeIn(position: number): string {
  return position <= 1 ? "next" : `${position - 1} before it`;
}
