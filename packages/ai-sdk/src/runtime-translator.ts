import { addData, addMetadata, closeBlock, nextStep } from "./chunk-builder.ts";
import { plainValue } from "./plain-value.ts";
import { advance, type EventOf, hasEnded, inTurn, type RunMoved, type RunState, still } from "./run-state.ts";
import { cancelRun, completeFlow, completeRun, failRun, goOn, pauseRun, tellStatus, wake } from "./run-status.ts";
import { addDelta, addWhole, forgetTexts } from "./run-text.ts";
import type { InnerEvent, RuntimeDataParts, RuntimeEvent, Usage } from "./runtime-events.ts";
import { failureText, textOf } from "./runtime-texts.ts";
import { addWholeCall } from "./tool-chunks.ts";
import { TOOL_FAILED } from "./tool-input.ts";

/** Translates one event of the run; an event of a type that nobody told us about yields `undefined`. */
export function translateEvent(state: RunState, event: RuntimeEvent): RunMoved | undefined {
  if (hasEnded(state) || isInner(event)) return still(state);
  const awake = wake(state, event);
  const moved = translateOuter(awake.state, event);
  return moved && { state: moved.state, chunks: [...awake.chunks, ...moved.chunks] };
}

function isInner(event: RuntimeEvent): event is InnerEvent {
  return event.type.startsWith("edge:") || event.type.startsWith("state:");
}

function translateOuter(state: RunState, event: Exclude<RuntimeEvent, InnerEvent>): RunMoved | undefined {
  switch (event.type) {
    case "flow:start":
      return tellStatus({ ...state, inFlow: true, flowName: event.flowName }, "running");
    case "flow:paused":
    case "agent:paused":
      return pauseRun(state, event);
    case "flow:resumed":
      return goOn(state);
    case "flow:complete":
      return completeFlow(state, event);
    case "flow:aborted":
    case "agent:aborted":
      return cancelRun(state);
    case "node:error":
    case "agent:error":
      return failRun(state, failureText(event));
    case "node:start":
      return advance(forgetTexts(state, event.nodeId), state.shown.steps ? nextStep : closeBlock);
    case "node:complete":
      return tellOutput(state, event);
    case "agent:start":
      return advance(forgetTexts(state, event.nodeId));
    case "agent:text:delta":
      return addDelta(state, "text", event);
    case "agent:text":
      return addWhole(state, "text", event);
    case "agent:thinking:delta":
      return addDelta(state, "reasoning", event);
    case "agent:thinking":
      return addWhole(state, "reasoning", event);
    case "agent:tool":
      return addTool(state, event);
    case "agent:complete":
      return completeAgent(state, event);
    case "node:skipped":
      return still(state);
    default:
      event satisfies never;
      return undefined;
  }
}

function tellOutput(state: RunState, { nodeId, output }: EventOf<"node:complete">): RunMoved {
  if (!state.shown.nodeOutput || output === undefined) return advance(state);
  const data: RuntimeDataParts["node-output"] = { nodeId, output: plainValue(output) };
  return advance(state, (stream) => addData(stream, "node-output", { data }));
}

function addTool(state: RunState, { runId, toolName, toolInput, toolOutput, error }: EventOf<"agent:tool">): RunMoved {
  const tools = state.tools + 1;
  const end = error === undefined ? { output: plainValue(toolOutput) } : { errorText: textOf(error) || TOOL_FAILED };
  const call = { callId: `${runId}-tool-${tools}`, toolName, input: plainValue(toolInput), ...end };
  return advance({ ...state, tools }, (stream) => addWholeCall(stream, call));
}

function completeAgent(state: RunState, event: EventOf<"agent:complete">): RunMoved {
  return inTurn(
    count(forgetTexts(state, event.nodeId), event),
    (current) => advance(current, closeBlock),
    tellCosts,
    (current) => (current.inFlow ? still(current) : completeRun(current)),
  );
}

function count(state: RunState, { usage, cost }: EventOf<"agent:complete">): RunState {
  return {
    ...state,
    ...(usage && { usage: sum(state.usage ?? {}, usage) }),
    ...(cost !== undefined && { cost: (state.cost ?? 0) + cost }),
  };
}

function sum(one: Usage, other: Usage): Usage {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
}

function tellCosts(state: RunState): RunMoved {
  const { usage, cost } = state;
  const metadata = { ...(usage && { usage }), ...(cost !== undefined && { cost }) };
  if (Object.keys(metadata).length === 0) return still(state);
  return advance(state, (stream) => addMetadata(stream, metadata));
}
