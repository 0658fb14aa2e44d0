/** What the stream and the history both say about a call that gave no text of its own. */
export const TOOL_FAILED = "The tool failed.";
export const TOOL_UNFINISHED = "The turn ended before this tool did.";

/** The input a client is shown: the arguments, or what their text amounts to. */
export function inputOf(call: { args?: unknown; argsText?: string }): unknown {
  if (call.args !== undefined) return call.args;
  if (!call.argsText) return null;
  try {
    return JSON.parse(call.argsText);
  } catch (error) {
    if (error instanceof SyntaxError) return call.argsText;
    throw error;
  }
}
