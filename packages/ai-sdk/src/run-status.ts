import { addData, cancel, closeBlock, endStep, fail, finish, replaceData } from "./chunk-builder.ts";
import { advance, type EventOf, inTurn, type Pause, type RunMoved, type RunState, still } from "./run-state.ts";
import type { FlowStatus, RuntimeDataParts, RuntimeEvent } from "./runtime-events.ts";
import { failureText } from "./runtime-texts.ts";
import type { Move } from "./stream-state.ts";

/** How a run stands: its status in the message, its pauses and its end. */

/** The message has one status part, which changes in its place. Another pause may ask something else. */
export function tellStatus(state: RunState, status: FlowStatus): RunMoved {
  const told = state.status === status && status !== "paused";
  if (!state.shown.flowStatus || told) return advance(state);
  const part = { id: "flow", data: statusData(state, status) };
  const tell = state.status === undefined ? addData : replaceData;
  return advance({ ...state, status }, (stream) => tell(stream, "flow-status", part));
}

function statusData({ flowName, pause }: RunState, status: FlowStatus): RuntimeDataParts["flow-status"] {
  const data: RuntimeDataParts["flow-status"] = { status };
  if (flowName !== undefined) data.flowName = flowName;
  if (status === "paused" && pause?.nodeId !== undefined) data.nodeId = pause.nodeId;
  if (status === "paused" && pause?.prompt !== undefined) data.prompt = pause.prompt;
  return data;
}

/**
 * Nobody knows how long it will take, so what is open is closed: whoever goes on with the message takes up a whole one.
 * A flow that says it is paused adds nothing to what its agent asked.
 */
export function pauseRun(state: RunState, event: EventOf<"flow:paused" | "agent:paused">): RunMoved {
  const pause = event.type === "agent:paused" ? pauseOf(event) : (state.pause ?? {});
  return inTurn(
    { ...state, pause },
    (current) => advance(current, closeBlock),
    (current) => tellStatus(current, "paused"),
  );
}

function pauseOf({ nodeId, prompt, promptId }: EventOf<"agent:paused">): Pause {
  return { nodeId, prompt, promptId };
}

export function goOn(state: RunState): RunMoved {
  return tellStatus({ ...state, pause: undefined }, "running");
}

const WORK: ReadonlySet<RuntimeEvent["type"]> = new Set([
  "node:start",
  "node:complete",
  "agent:start",
  "agent:text",
  "agent:text:delta",
  "agent:thinking",
  "agent:thinking:delta",
  "agent:tool",
  "agent:complete",
]);

/** A paused node that works has gone on, whoever told it to. */
export function wake(state: RunState, event: RuntimeEvent): RunMoved {
  const { pause } = state;
  if (!pause || !WORK.has(event.type)) return still(state);
  return pause.nodeId === undefined || pause.nodeId === event.nodeId ? goOn(state) : still(state);
}

export function completeFlow(state: RunState, event: EventOf<"flow:complete">): RunMoved {
  if (event.status !== "failed") return inTurn(state, (current) => tellStatus(current, "completed"), completeRun);
  const text = failureText(event, state.flowName);
  return inTurn(
    state,
    (current) => tellStatus(current, "failed"),
    (current) => failRun(current, text),
  );
}

export function completeRun(state: RunState): RunMoved {
  return endRun(state, "completed", finish);
}

export function cancelRun(state: RunState): RunMoved {
  return endRun(state, "aborted", cancel);
}

export function failRun(state: RunState, text: string): RunMoved {
  return endRun(state, "failed", (stream) => fail(stream, text));
}

/** A status that was told must not stay as it was; one that never was is not told at the end. */
function endRun(state: RunState, status: FlowStatus, end: Move): RunMoved {
  const settle = (current: RunState) => (current.status === undefined ? still(current) : tellStatus(current, status));
  return inTurn(state, settle, (current) => advance(current, end));
}

/** Closes what is open, so that the message can be left where it is. */
export function restRun(state: RunState): RunMoved {
  return advance(state, endStep);
}
