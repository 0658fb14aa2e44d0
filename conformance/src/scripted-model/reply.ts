import type { ScriptedCall, ScriptStep } from "./script.ts";

const CHUNK = 16;

export type Piece =
  | { kind: "reasoning"; text: string }
  | { kind: "text"; text: string }
  | ({ kind: "call"; id: string } & Call);

interface Call {
  name: string;
  /** Arguments as JSON text, whole. */
  args: string;
}

/** A round of the model as every dialect tells it. */
export interface Reply {
  pieces: Piece[];
  finish: "stop" | "length" | "tool-calls";
  usage: { input: number; output: number };
}

/** `prefix` makes the ids of calls unique within a conversation. */
export function replyOf(step: ScriptStep, prefix: string): Reply {
  const calls = callsOf(step);
  return {
    pieces: [
      ...textPieces("reasoning", step.reasoning, step.chunk),
      ...textPieces("text", step.text, step.chunk),
      ...calls.map((call, index): Piece => ({ kind: "call", id: `call_${prefix}_${index}`, ...call })),
    ],
    finish: calls.length > 0 ? "tool-calls" : (step.finish ?? "stop"),
    usage: { input: 100, output: 20 },
  };
}

function textPieces(kind: "reasoning" | "text", text = "", size = CHUNK): Piece[] {
  const count = Math.ceil(text.length / size);
  return Array.from({ length: count }, (_, index) => ({ kind, text: text.slice(index * size, (index + 1) * size) }));
}

function callsOf({ tool, args, tools = [] }: ScriptStep): Call[] {
  const all: ScriptedCall[] = tool === undefined ? tools : [{ name: tool, args }, ...tools];
  return all.map((call) => ({ name: call.name, args: call.rawArgs ?? JSON.stringify(call.args ?? {}) }));
}
