import type { UIChunk } from "@agent-ops/shared/ai-sdk";
import { closeBlock, openStep, suspend, write } from "./chunk-builder.ts";
import { type Built, chain, type OpenTool, type StreamState, unchanged } from "./stream-state.ts";
import { endTool, putTool, serverTool, syncInput } from "./tool-views.ts";

/** The part of the chunk builder that is about tool calls. After its end a call yields nothing more. */

export type ToolSign = {
  readonly callId: string;
  readonly toolName: string;
  readonly args?: unknown;
  readonly argsDelta?: string;
};

/** A sign of a call: it begins, or more of its input is known. */
export function noteTool(state: StreamState, sign: ToolSign): Built {
  if (state.endedTools.has(sign.callId)) return closeBlock(state);
  const known = state.tools.has(sign.callId);
  return write(state, [closeBlock, known ? unchanged : openStep, (current) => takeSign(current, sign)]);
}

function takeSign(state: StreamState, sign: ToolSign): Built {
  const { callId, toolName, argsDelta = "" } = sign;
  const before = state.tools.get(callId);
  const tool: OpenTool = {
    step: state.steps,
    view: "streaming",
    ...before,
    callId,
    toolName,
    args: sign.args ?? before?.args,
    argsText: (before?.argsText ?? "") + argsDelta,
  };
  const noted = putTool(state, tool);
  if (tool.args !== undefined || tool.sent) return syncInput(noted, tool);
  const chunks: UIChunk[] = [];
  if (!before) chunks.push({ type: "tool-input-start", toolName, ...serverTool(callId) });
  if (argsDelta !== "") chunks.push({ type: "tool-input-delta", toolCallId: callId, inputTextDelta: argsDelta });
  return { state: noted, chunks };
}

export function partialOutput(state: StreamState, callId: string, output: unknown): Built {
  return withTool(state, callId, (current, tool) => ({
    state: putTool(current, { ...tool, view: "partial", partial: { output } }),
    chunks: [{ type: "tool-output-available", output, preliminary: true, ...serverTool(callId) }],
  }));
}

/** Without an output of its own a call ends with its last partial one. */
export function finalOutput(state: StreamState, callId: string, output?: unknown): Built {
  return withTool(state, callId, (current, tool) => {
    const last = output === undefined ? tool.partial?.output : output;
    return endTool(current, callId, { type: "tool-output-available", output: last ?? null, ...serverTool(callId) });
  });
}

export function outputError(state: StreamState, callId: string, errorText: string): Built {
  return withTool(state, callId, (current) =>
    endTool(current, callId, { type: "tool-output-error", errorText, ...serverTool(callId) }),
  );
}

export type WholeCall = {
  /** New to the message: nothing is kept of the call. */
  readonly callId: string;
  readonly toolName: string;
  readonly input: unknown;
} & ({ readonly output: unknown } | { readonly errorText: string });

/** A call that is known only once it has ended. */
export function addWholeCall(state: StreamState, call: WholeCall): Built {
  const { callId, toolName, input } = call;
  const end: UIChunk =
    "errorText" in call
      ? { type: "tool-output-error", errorText: call.errorText, ...serverTool(callId) }
      : { type: "tool-output-available", output: call.output, ...serverTool(callId) };
  const chunks: UIChunk[] = [{ type: "tool-input-available", toolName, input, ...serverTool(callId) }, end];
  return write(state, [closeBlock, openStep, (current) => ({ state: current, chunks })]);
}

/** Only an approval that was asked for in the stream can be refused there. */
export function denyOutput(state: StreamState, callId: string): Built {
  if (state.tools.get(callId)?.view !== "approval") return unchanged(state);
  return withTool(state, callId, (current) =>
    endTool(current, callId, { type: "tool-output-denied", toolCallId: callId }),
  );
}

/** Whether a client would post the answer: it looks at the calls of its last step alone. */
export function canAskApproval(state: StreamState, callId: string): boolean {
  const tool = state.tools.get(callId);
  return tool ? tool.step === state.steps : !state.endedTools.has(callId);
}

/** Asks and suspends: the answer comes with the request for the rest of the message. */
export function askApproval(state: StreamState, callId: string, approvalId: string): Built {
  return chain(state, [
    (current) => withTool(current, callId, takeBackPartial),
    (current) =>
      withTool(current, callId, (before, tool) => ({
        state: putTool(before, { ...tool, view: "approval" }),
        chunks: [{ type: "tool-approval-request", approvalId, toolCallId: callId }],
      })),
    suspend,
  ]);
}

/** A call that waits for approval has no output; telling its input again clears it. */
function takeBackPartial(state: StreamState, tool: OpenTool): Built {
  if (tool.view !== "partial") return unchanged(state);
  return syncInput(state, { ...tool, view: "streaming", sent: undefined });
}

function withTool(state: StreamState, callId: string, move: (state: StreamState, tool: OpenTool) => Built): Built {
  return write(state, [
    closeBlock,
    (current) => withKnown(current, callId, syncInput),
    (current) => withKnown(current, callId, move),
  ]);
}

function withKnown(state: StreamState, callId: string, move: (state: StreamState, tool: OpenTool) => Built): Built {
  const tool = state.tools.get(callId);
  return tool ? move(state, tool) : unchanged(state);
}
