import { setTimeout as delay } from "node:timers/promises";
import type { Api } from "../../api.ts";
import type { Recording } from "../recording.ts";
import type { SessionWatch } from "../session-watch.ts";
import type { V2Client } from "./v2-client.ts";

const RETRY_MS = 150;

/** What one of two people answers, so that the log tells them apart. */
export type Opinion = "yes" | "no";

export function answerTo(kind: string, opinion: Opinion): object {
  if (kind === "approval") return opinion === "yes" ? { approved: true } : { approved: false, reason: "No." };
  return { value: opinion === "yes" ? "red" : "blue" };
}

/** Answers over the V2 socket, again and again until the log says that somebody was first. */
export async function answerOnSocket(client: V2Client, watch: SessionWatch, questionId: string): Promise<void> {
  const asked = watch.questions.get(questionId);
  while (asked?.open) {
    client.send({ type: "answer", questionId, answer: answerTo(asked.kind, "yes") });
    await delay(RETRY_MS);
  }
}

type Route = { api: Api; sessionId: string; recording: Recording };

/** Answers over HTTP until the server says what became of it. */
export async function answerByRequest(route: Route, watch: SessionWatch, questionId: string): Promise<void> {
  const asked = watch.questions.get(questionId);
  if (!asked) return;
  for (;;) {
    const status = await route.api.answer(route.sessionId, questionId, answerTo(asked.kind, "no")).catch(() => 0);
    route.recording.note({ k: "answered", questionId, status });
    if (status !== 0 && status < 500) return;
    await delay(RETRY_MS);
  }
}
