/** What the model does in one round: any of thinking, text and tool calls, or a failure. */
export interface ScriptStep {
  reasoning?: string;
  text?: string;
  /** One call; `tools` makes several at once. */
  tool?: string;
  args?: unknown;
  tools?: ScriptedCall[];
  /** Milliseconds before anything is said, and between the pieces of a text. */
  delay?: number;
  pace?: number;
  /** Characters in a piece of text. */
  chunk?: number;
  /** After the text, silence for this many milliseconds. */
  hang?: number;
  /** After the text, the socket ends. */
  cut?: boolean;
  /** After the text, something that no client can read. */
  malformed?: boolean;
  /** An answer that is an error, with these headers and this body. */
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  /** Only the first requests for this step get it; those after them get the next one. */
  times?: number;
  finish?: "stop" | "length";
}

export interface ScriptedCall {
  name: string;
  args?: unknown;
  /** Arguments as they are, which need not be JSON. */
  rawArgs?: string;
}

/** A prompt that tells the scripted model what to do. A subagent's prompt among the arguments can carry its own. */
export function scripted(steps: ScriptStep[], words = "Do it."): string {
  return `${words} #script ${JSON.stringify(steps)}#end`;
}

/** The script in a text; the end of a nested one is escaped, so the outermost is the one that parses. */
export function scriptIn(text: string): ScriptStep[] | undefined {
  const start = text.indexOf("#script ");
  if (start < 0) return undefined;
  for (let end = text.indexOf("#end", start); end >= 0; end = text.indexOf("#end", end + 1)) {
    const steps = parsed(text.slice(start + "#script ".length, end));
    if (steps) return steps;
  }
  return undefined;
}

function parsed(json: string): ScriptStep[] | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined; // the end of a script inside this one
  }
}
