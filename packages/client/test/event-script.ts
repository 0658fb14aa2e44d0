import { type InitEvent, isKnownEvent, type KnownLogPayload, type LogEvent } from "@agent-ops/shared/events";
import type { Message, MessagePart } from "@agent-ops/shared/message-parts";
import { reduceParts } from "@agent-ops/shared/message-reducer";
import fc from "fast-check";

/** A turn's events between its `message.create` and its end, without the turn's id. */
const happening = fc.oneof(
  fc.record({ type: fc.constant("message.part.text-delta" as const), delta: fc.string({ maxLength: 6 }) }),
  fc.record({ type: fc.constant("message.part.reasoning-delta" as const), delta: fc.string({ maxLength: 6 }) }),
  fc.record({
    type: fc.constant("message.part.tool-update" as const),
    callId: fc.constantFrom("a", "b"),
    toolName: fc.constant("list_files"),
    status: fc.constantFrom("pending" as const, "running" as const, "completed" as const, "error" as const),
    preliminary: fc.boolean(),
  }),
  fc.record({ type: fc.constant("message.step" as const) }),
  fc.record({
    type: fc.constant("agentStatus" as const),
    status: fc.constantFrom("thinking" as const, "tool_calling" as const),
  }),
  fc.record({ type: fc.constant("title" as const), title: fc.string({ maxLength: 4 }) }),
  fc.record({ type: fc.constant("something-new"), anything: fc.jsonValue() }),
);

const turn = fc.record({
  happenings: fc.array(happening, { maxLength: 8 }),
  asks: fc.constantFrom("nothing" as const, "and hears" as const, "and waits" as const),
  ends: fc.constantFrom("end_turn" as const, "error" as const, "canceled" as const),
  completes: fc.boolean(),
});

/** Logs of whole turns, the last one cut off anywhere. */
export const eventLog: fc.Arbitrary<LogEvent[]> = fc
  .tuple(fc.array(turn, { minLength: 1, maxLength: 4 }), fc.nat())
  .map(([turns, cut]) => {
    const all = turns.flatMap((entry, index) => play(entry, `turn${index}`));
    return all.slice(0, 1 + (cut % all.length)).map((payload, at) => ({ ...payload, seq: at + 1, ts: 1_000 + at }));
  });

type Payload = KnownLogPayload | { type: string; anything: unknown };

function play({ happenings, asks, ends, completes }: Turn, turnId: string): Payload[] {
  const questionId = `${turnId}-question`;
  const message: Message = {
    id: `${turnId}-prompt`,
    role: "user",
    turnId,
    userId: "alice",
    parts: [{ type: "text", text: "Hello" }],
    createdAt: 1,
  };
  const asked: Payload[] = [{ type: "question", questionId, turnId, kind: "approval", prompt: "May I?" }];
  const heard: Payload[] = [
    { type: "question.resolved", questionId, turnId, outcome: "answered", answer: { approved: true }, by: "alice" },
  ];
  return [
    { type: "message", message },
    { type: "status", status: "running" },
    { type: "message.create", turnId },
    ...happenings.map((event) => ({ ...event, turnId })),
    ...(asks === "nothing" ? [] : asked),
    ...(asks === "and hears" ? heard : []),
    { type: "message.finalize", turnId, reason: ends },
    ...(completes ? [{ type: "complete" as const, turnId }] : []),
    { type: "status", status: "ready" },
  ];
}

type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

export const session = {
  id: "s1",
  agent: "demo",
  title: "First",
  status: "ready",
  createdAt: 0,
  role: "owner",
} as const;

export const emptyInit: InitEvent = {
  type: "init",
  generation: 1,
  seq: 0,
  session,
  messages: [],
  queue: [],
  questions: [],
  people: [],
  audit: [],
  children: [],
};

/** What a session would tell somebody who comes in after `log`, worked out without the reducer under test. */
export function initAfter(log: readonly LogEvent[]): InitEvent {
  const init: InitEvent = { ...structuredClone(emptyInit), seq: log.length };
  for (const event of log) {
    if (!isKnownEvent(event)) continue;
    if (event.type === "message") {
      init.messages.push(event.message);
      init.activeTurnId = event.message.turnId;
    } else if (event.type === "message.create") {
      init.messages.push({ id: event.turnId, role: "assistant", turnId: event.turnId, parts: [], createdAt: event.ts });
    } else if (event.type === "status") init.session = { ...init.session, status: event.status };
    else if (event.type === "title") init.session = { ...init.session, title: event.title };
    else if (event.type === "question") init.questions.push(withoutPlace(event));
    else if (event.type === "question.resolved")
      init.questions = init.questions.filter((question) => question.questionId !== event.questionId);
    fold(init, event);
  }
  return init;
}

function fold(init: InitEvent, event: KnownLogPayload): void {
  const turnId = "turnId" in event ? event.turnId : undefined;
  const answer = init.messages.find((entry) => entry.role === "assistant" && entry.turnId === turnId);
  if (!answer || isOver(answer.parts)) return;
  answer.parts = [...reduceParts(answer.parts, event)];
  if (isOver(answer.parts)) delete init.activeTurnId;
}

function isOver(parts: readonly MessagePart[]): boolean {
  return parts.at(-1)?.type === "finish";
}

function withoutPlace(event: Extract<KnownLogPayload, { type: "question" }>): InitEvent["questions"][number] {
  const { questionId, turnId, kind, prompt } = event;
  return { questionId, turnId, kind, prompt };
}
