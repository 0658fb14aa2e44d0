import type { LogEvent } from "@agent-ops/shared/events";
import type { EventLog } from "./event-log.ts";
import { type TurnState, transition } from "./turn-machine.ts";
import { TurnRecorder } from "./turn-recorder.ts";
import type { StoredTurn } from "./turn-table.ts";

/** What an earlier life of the actor left open: the turn that ran with its message so far, and those that wait. */
export function restoreTurns(
  open: readonly StoredTurn[],
  log: EventLog,
): { state: TurnState; recorder: TurnRecorder } | undefined {
  const queue = open.filter((turn) => turn.state === "queued").map((turn) => turn.prompt);
  const running = open.find((turn) => turn.state !== "queued");
  if (running?.startSeq === undefined) return undefined;
  const { prompt } = running;
  const recorder = new TurnRecorder(prompt, prompt.createdAt);
  let state: TurnState = { active: { prompt, phase: "starting", created: false }, queue };
  for (const event of eventsAfter(log, running.startSeq)) {
    recorder.record(event);
    state = afterEvent(state, event);
  }
  if (running.state === "stopping") state = transition(state, { type: "abort" }).state;
  return { state, recorder };
}

/** The turns after an event of the log. */
export function afterEvent(state: TurnState, event: LogEvent): TurnState {
  if (event.type !== "message.create") return state;
  return transition(state, { type: "created", turnId: String(event.turnId) }).state;
}

function* eventsAfter(log: EventLog, seq: number): Generator<LogEvent> {
  for (let page = log.readAfter(seq); page.length > 0; page = log.readAfter(page.at(-1)?.event.seq ?? 0)) {
    for (const { event } of page) yield event;
  }
}
