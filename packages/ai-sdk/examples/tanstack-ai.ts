import { createEventTransform, type EventDraft } from "@agent-ops/ai-sdk/event-transform";
import type { AgentRuntime, RuntimeEvent, Usage } from "@agent-ops/ai-sdk/runtime-events";
import type { StreamChunk } from "@tanstack/ai";

/** The events of TanStack AI's agent loop, which are those of AG-UI, in ours. */
const transform = createEventTransform<StreamChunk>(() => {
  const calls = new Map<string, { toolName: string; args: string }>();
  const nothing = (): EventDraft[] => [];
  return {
    RUN_STARTED: () => [{ type: "agent:start" }],
    TEXT_MESSAGE_CONTENT: ({ delta }) => [{ type: "agent:text:delta", delta }],
    REASONING_MESSAGE_CONTENT: ({ delta }) => [{ type: "agent:thinking:delta", delta }],
    TOOL_CALL_START: ({ toolCallId, toolCallName }) => {
      calls.set(toolCallId, { toolName: toolCallName, args: "" });
      return [];
    },
    TOOL_CALL_ARGS: ({ toolCallId, delta }) => {
      const call = calls.get(toolCallId);
      if (call) call.args += delta;
      return [];
    },
    TOOL_CALL_RESULT: ({ toolCallId, content }) => {
      const { toolName, args } = calls.get(toolCallId) ?? { toolName: "tool", args: "" };
      calls.delete(toolCallId);
      return [{ type: "agent:tool", toolName, toolInput: readJson(args), ...readResult(content) }];
    },
    RUN_FINISHED: ({ usage }) => [{ type: "agent:complete", usage: countsOf(usage) }],
    RUN_ERROR: ({ message }) => [{ type: "agent:error", error: message }],
    TEXT_MESSAGE_START: nothing,
    TEXT_MESSAGE_END: nothing,
    TOOL_CALL_END: nothing,
    STEP_STARTED: nothing,
    STEP_FINISHED: nothing,
    MESSAGES_SNAPSHOT: nothing,
    STATE_SNAPSHOT: nothing,
    STATE_DELTA: nothing,
    CUSTOM: nothing,
    REASONING_START: nothing,
    REASONING_MESSAGE_START: nothing,
    REASONING_MESSAGE_END: nothing,
    REASONING_END: nothing,
    REASONING_ENCRYPTED_VALUE: nothing,
  };
});

export type Loop = (text: string, abortController: AbortController) => AsyncIterable<StreamChunk>;

/** `tanstackRuntime((text, abortController) => chat({ adapter, messages: [{ role: "user", content: text }], abortController }))` */
export function tanstackRuntime(loop: Loop): AgentRuntime {
  const listeners = new Set<(event: RuntimeEvent) => void>();
  const going = new Map<string, AbortController>();
  const emit = (event: RuntimeEvent) => {
    for (const listener of [...listeners]) listener(event);
  };

  async function run(runId: string, text: string): Promise<void> {
    const abortController = new AbortController();
    const translate = transform(runId);
    going.set(runId, abortController);
    try {
      emit({ type: "flow:start", runId, timestamp: Date.now() });
      for await (const chunk of loop(text, abortController)) for (const event of translate(chunk)) emit(event);
      emit({ type: "flow:complete", runId, timestamp: Date.now() });
    } finally {
      going.delete(runId);
    }
  }

  return {
    onEvent(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    dispatch(command) {
      if (command.type === "send") return run(command.runId, command.text);
      if (command.type === "abort") return going.get(command.runId)?.abort();
      throw new Error(`The loop knows no ${command.type}.`);
    },
  };
}

/** A message's tool results are text; that of an object is its JSON. */
function readResult(content: unknown): { toolOutput: unknown } | { error: string } {
  const toolOutput = typeof content === "string" ? readJson(content) : content;
  const failed = typeof toolOutput === "object" && toolOutput !== null && "error" in toolOutput;
  return failed ? { error: String(toolOutput.error) } : { toolOutput };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Of a provider's account only the counts; some of it is nested. */
function countsOf(usage: object | undefined): Usage | undefined {
  return usage && Object.fromEntries(Object.entries(usage).filter(([, count]) => typeof count === "number"));
}
