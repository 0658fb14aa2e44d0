import type { UIChunk } from "@agent-ops/shared/ai-sdk";
import { type Built, chain, eachTool, type OpenTool, type StreamState, unchanged } from "./stream-state.ts";
import { inputOf, TOOL_UNFINISHED } from "./tool-input.ts";

/** How clients are told about calls they know. The stream is open; blocks are the caller's business. */

export function serverTool(toolCallId: string) {
  return { toolCallId, providerExecuted: true, dynamic: true } as const;
}

export function putTool(state: StreamState, tool: OpenTool): StreamState {
  return { ...state, tools: new Map(state.tools).set(tool.callId, tool) };
}

/** Tells the input where the client has none, or another one than the call has by now. */
export function syncInput(state: StreamState, tool: OpenTool): Built {
  const input = inputOf(tool);
  if (tool.step !== state.steps || tool.view === "approval") return unchanged(state);
  if (tool.sent && tool.sent.toolName === tool.toolName && sameJson(tool.sent.input, input)) return unchanged(state);
  const told = putTool(state, {
    ...tool,
    view: tool.view === "streaming" ? "input" : tool.view,
    sent: { toolName: tool.toolName, input },
  });
  return { state: told, chunks: [inputChunk(tool, input), ...partialChunks(tool)] };
}

function sameJson(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

function inputChunk({ callId, toolName }: OpenTool, input: unknown): UIChunk {
  return { type: "tool-input-available", toolName, input, ...serverTool(callId) };
}

/** An input takes the place of a partial output, which is then told again. */
function partialChunks({ callId, view, partial }: OpenTool): UIChunk[] {
  if (view !== "partial" || !partial) return [];
  return [{ type: "tool-output-available", output: partial.output, preliminary: true, ...serverTool(callId) }];
}

/** A call whose input is still arriving at the end of its step would become two parts. */
export function tellInputs(state: StreamState): Built {
  return eachTool(state, (current, tool) =>
    tool.view === "streaming" ? syncInput(current, tool) : unchanged(current),
  );
}

export function endTool(state: StreamState, callId: string, end: UIChunk): Built {
  const tool = state.tools.get(callId);
  if (!tool) return unchanged(state);
  return chain(state, [
    (current) => syncInput(current, tool),
    (current) => {
      const tools = new Map(current.tools);
      tools.delete(callId);
      return {
        state: { ...current, tools, endedTools: new Set(current.endedTools).add(callId) },
        chunks: [end],
      };
    },
  ]);
}

export function settleTools(state: StreamState): Built {
  return eachTool(state, (current, { callId }) =>
    endTool(current, callId, { type: "tool-output-error", errorText: TOOL_UNFINISHED, ...serverTool(callId) }),
  );
}

/**
 * A client posts an approval by itself only when every other call of the step has an output. Calls that still run are
 * given one for the time being; `resumeTools` takes it back.
 */
export function pauseTools(state: StreamState): Built {
  return eachTool(state, (current, tool) => {
    if (tool.step !== current.steps || tool.view === "approval") return unchanged(current);
    return chain(current, [
      (before) => syncInput(before, tool),
      (before) => ({
        state: putTool(before, { ...(before.tools.get(tool.callId) ?? tool), view: "paused" }),
        chunks: [{ type: "tool-output-available", output: tool.partial?.output ?? null, ...serverTool(tool.callId) }],
      }),
    ]);
  });
}

export function resumeTools(state: StreamState): Built {
  return eachTool(state, (current, tool) => {
    if (tool.view !== "paused") return unchanged(current);
    const running: OpenTool = { ...tool, view: tool.partial ? "partial" : "input" };
    const chunks = tool.partial ? partialChunks(running) : [inputChunk(tool, tool.sent?.input ?? null)];
    return { state: putTool(current, running), chunks };
  });
}
