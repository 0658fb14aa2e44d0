import type { AgentEvent } from "../../agent-client.ts";
import type { ToolPart } from "./events.ts";

type ToolUpdate = Extract<AgentEvent, { type: "message.part.tool-update" }>;
export type Call = { callId: string; toolName: string; status: ToolUpdate["status"]; told: string };

/** What OpenCode calls a tool whose name or arguments the model got wrong. */
const INVALID = "invalid";

/** The tool calls of a turn. OpenCode tells a call's whole state each time; only what changed is passed on. */
export class ToolCalls {
  #byPart = new Map<string, Call>();

  update(part: ToolPart): AgentEvent[] {
    const call = this.#callOf(part);
    if (call.status === "completed" || call.status === "error") return [];
    const update = toUpdate(part, call);
    const told = JSON.stringify(update);
    if (told === call.told) return [];
    Object.assign(call, { told, status: update.status });
    return [update];
  }

  /** The call by the name that a question uses for it. */
  find({ messageID, callID }: { messageID: string; callID: string }): Readonly<Call> | undefined {
    return this.#byPart.get(`${messageID} ${callID}`);
  }

  /** Providers may use an id again in a later step; within a turn it names one call. */
  #callOf({ id, messageID, callID, tool }: ToolPart): Call {
    const key = `${messageID} ${callID}`;
    const found = this.#byPart.get(key);
    if (found) return found;
    const isTaken = [...this.#byPart.values()].some(({ callId }) => callId === callID);
    const call: Call = { callId: isTaken ? id : callID, toolName: tool, status: "pending", told: "" };
    this.#byPart.set(key, call);
    return call;
  }
}

function toUpdate({ tool, state }: ToolPart, { callId, toolName }: Call): ToolUpdate {
  const named = { type: "message.part.tool-update", callId, toolName } as const;
  switch (state.status) {
    case "pending":
      return { ...named, status: "pending" };
    case "running":
      return { ...named, status: "running", args: state.input, ...partial(state.metadata) };
    case "completed":
      if (tool === INVALID) return { ...named, status: "error", args: state.input, error: state.output ?? "" };
      return { ...named, status: "completed", args: state.input, result: resultOf(state) };
    case "error":
      return { ...named, status: "error", args: state.input, error: state.error ?? "The tool failed." };
    default:
      return state.status satisfies never;
  }
}

/** A command's output so far. */
function partial(metadata: ToolPart["state"]["metadata"]): { result?: unknown; preliminary?: true } {
  const output = metadata?.output;
  return typeof output === "string" && output !== "" ? { result: { output }, preliminary: true } : {};
}

/** Whole, so that a client can show what a tool gave beside its text: a diff, a picture, a resource. */
function resultOf({ output, title, metadata, attachments }: ToolPart["state"]): Record<string, unknown> {
  return {
    output,
    ...(title ? { title } : {}),
    ...(metadata ? { metadata } : {}),
    ...(attachments ? { attachments } : {}),
  };
}
