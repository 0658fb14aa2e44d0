import { DONE_FRAME, encodeFrame, SSE_HEADERS } from "@agent-ops/ai-sdk/sse";
import {
  type ApprovalMode,
  phaseOf,
  startTranslation,
  type Translation,
  translate,
} from "@agent-ops/ai-sdk/translator";
import type { LogPayload } from "@agent-ops/shared/events";

type Posted = {
  messages: { role: string; parts: { approval?: { id: string; approved?: boolean } }[] }[];
};

/**
 * A session without a server, for the clients' own tests: each request gets what the script says next, through the
 * real translator, until that ends the stream. Answers to approvals are put before it as the session would log them.
 */
export function scriptedSession(turnId: string, script: readonly LogPayload[], approvals: ApprovalMode): typeof fetch {
  let state = startTranslation(turnId, { approvals });
  const events = [...script];
  const answered = new Set<string>();
  return async (_, init) => {
    const posted: Posted = JSON.parse(String(init?.body));
    for (const event of answersIn(posted, turnId, answered)) events.unshift(event);
    let frames = "";
    do {
      const event = events.shift();
      if (!event) break;
      const told = translate(state, event);
      state = told.state;
      frames += told.chunks.map((chunk) => encodeFrame(chunk)).join("");
    } while (isToBeContinued(state, frames));
    return new Response(frames + DONE_FRAME, { headers: SSE_HEADERS });
  };
}

function isToBeContinued(state: Translation, frames: string): boolean {
  return phaseOf(state) === "open" || frames === "";
}

function answersIn({ messages }: Posted, turnId: string, answered: Set<string>): LogPayload[] {
  const parts = messages.at(-1)?.parts ?? [];
  return parts.flatMap(({ approval }): LogPayload[] => {
    if (approval?.approved === undefined || answered.has(approval.id)) return [];
    answered.add(approval.id);
    const { id: questionId, approved } = approval;
    return [{ type: "question.resolved", questionId, turnId, outcome: "answered", answer: { approved } }];
  });
}
