import { type ScriptStep, scriptIn } from "./script.ts";

/** A message as every dialect can tell it: what tools gave back is a message of its own. */
export interface ModelMessage {
  role: "user" | "assistant" | "tool";
  text: string;
}

/** What a client asks of the model, whatever its dialect. */
export interface Conversation {
  system: string;
  messages: ModelMessage[];
  hasTools: boolean;
  streams: boolean;
}

const TITLE = "Scripted title";
/** What agents ask beside their work: names of conversations, summaries, who is next. */
const ASIDE = /\b(title|summar\w+|classif\w+|next speaker|route)\b/i;

/** Which step of which script is next. The count of tool rounds says it, so the model remembers nothing. */
export interface Position {
  script: ScriptStep[];
  at: number;
}

export function positionIn({ system, messages, hasTools }: Conversation): Position {
  if (!hasTools && ASIDE.test(system)) return saying(TITLE);
  const asked = messages.findLastIndex(isPrompt);
  const prompt = messages[asked]?.text ?? "";
  const script = scriptIn(prompt);
  if (!script) return saying(`You said: "${prompt}"`);
  const later = messages.slice(asked + 1);
  const rounds = later.filter(({ role }, index) => role === "tool" && later[index - 1]?.role !== "tool").length;
  return { script, at: rounds };
}

/** Agents add remarks of their own in tags; what people write begins otherwise. */
function isPrompt({ role, text }: ModelMessage): boolean {
  return role === "user" && (!text.trimStart().startsWith("<") || scriptIn(text) !== undefined);
}

function saying(text: string): Position {
  return { script: [{ text }], at: 0 };
}
