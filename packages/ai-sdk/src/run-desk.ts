import type { UIChunk } from "@agent-ops/shared/ai-sdk";
import type { Pause, Shown } from "./run-state.ts";
import type { AgentRuntime, ChatMessage, RuntimeCommand, RuntimeEvent, SendCommand } from "./runtime-events.ts";
import { Run } from "./runtime-run.ts";
import { brokenText, NO_MESSAGE, refusedText, unheardText } from "./runtime-texts.ts";
import type { RuntimeTransportOptions, SendRequest } from "./runtime-transport.ts";

const START_TIMEOUT_MS = 30_000;

/** The runs that are going. It listens to the runtime while there are any. */
export class RunDesk<MESSAGE extends ChatMessage> {
  readonly #runtime: AgentRuntime;
  readonly #options: RuntimeTransportOptions<MESSAGE>;
  readonly #runs = new Map<string, Run>();
  /** The latest of each chat. */
  readonly #chats = new Map<string, Run>();
  #unsubscribe: (() => void) | undefined;

  constructor(runtime: AgentRuntime, options: RuntimeTransportOptions<MESSAGE>) {
    this.#runtime = runtime;
    this.#options = options;
  }

  running(chatId: string): Run | undefined {
    return this.#chats.get(chatId);
  }

  send(request: SendRequest<MESSAGE>): ReadableStream<UIChunk> {
    const run = this.running(request.chatId);
    if (run?.pause && !run.isLeft && !replacesHistory(request)) return this.#answer(run, run.pause, request);
    if (run && (run.isLeft || replacesHistory(request))) this.abort(run);
    return this.#start(request);
  }

  abort(run: Run | undefined): void {
    if (!run) return;
    this.#dispatchAbort(run);
    run.cancel();
  }

  close(): void {
    for (const run of [...this.#runs.values()]) this.abort(run);
  }

  #start(request: SendRequest<MESSAGE>): ReadableStream<UIChunk> {
    const run = this.#openRun(request.chatId);
    const message = lastUserMessage(request);
    if (request.abortSignal?.aborted) run.cancel();
    else if (!message) run.fail(NO_MESSAGE);
    else if (this.#listen(run)) {
      run.awaitStart();
      void this.#dispatch(run, () => this.#sendCommand(run, request, message));
    }
    return run.read(request.abortSignal);
  }

  /** The run goes on in its last message where nothing was said since, otherwise in a new one. */
  #answer(run: Run, pause: Pause, request: SendRequest<MESSAGE>): ReadableStream<UIChunk> {
    const last = request.messages.at(-1);
    const messageId = last?.id === run.messageId ? run.messageId : newId();
    const stream = run.handOver(messageId, request.abortSignal);
    const text = last?.role === "user" ? textIn(last) : undefined;
    if (!request.abortSignal?.aborted) void this.#dispatch(run, () => answerCommand(run.runId, pause, text));
    return stream;
  }

  #openRun(chatId: string): Run {
    const { startTimeoutMs = START_TIMEOUT_MS, graceMs = 0 } = this.#options;
    const settings = { runId: newId(), chatId, shown: shownOf(this.#options), startTimeoutMs, graceMs };
    const run = new Run(settings, {
      onEnd: (ended) => this.#close(ended),
      onLeft: (left) => this.#dispatchAbort(left),
    });
    this.#runs.set(run.runId, run);
    this.#chats.set(chatId, run);
    return run;
  }

  #close(run: Run): void {
    this.#runs.delete(run.runId);
    if (this.running(run.chatId) === run) this.#chats.delete(run.chatId);
    if (this.#runs.size > 0) return;
    const unsubscribe = this.#unsubscribe;
    this.#unsubscribe = undefined;
    unsubscribe?.();
  }

  #listen(run: Run): boolean {
    try {
      this.#unsubscribe ??= this.#runtime.onEvent((event) => this.#hear(event));
      return true;
    } catch (error) {
      run.fail(unheardText(error));
      return false;
    }
  }

  /** Whatever goes wrong here must not reach the runtime, which has other listeners to serve. */
  #hear(event: RuntimeEvent): void {
    try {
      const run = this.#runs.get(event.runId);
      if (!run) this.#options.onUnknownEvent?.(event, "unknown-run");
      else if (!run.take(event)) this.#options.onUnknownEvent?.(event, "unknown-type");
    } catch (error) {
      console.error("An event of the agent runtime could not be handled:", error);
    }
  }

  #sendCommand(run: Run, request: SendRequest<MESSAGE>, message: MESSAGE): SendCommand {
    const { chatId, trigger } = request;
    const draft = { type: "send", runId: run.runId, chatId, trigger, text: textIn(message), message } as const;
    return this.#options.command?.(draft, request) ?? draft;
  }

  async #dispatch(run: Run, command: () => RuntimeCommand): Promise<void> {
    try {
      await this.#runtime.dispatch(command());
    } catch (error) {
      run.fail(run.hasBegun ? brokenText(error) : refusedText(error));
    }
  }

  async #dispatchAbort({ runId }: Run): Promise<void> {
    try {
      await this.#runtime.dispatch({ type: "abort", runId });
    } catch (error) {
      console.error("The agent runtime did not take an abort:", error);
    }
  }
}

/** A regenerate, or an edit of an earlier message: the answer that is being written is not wanted any more. */
function replacesHistory({ trigger, messageId, messages }: SendRequest): boolean {
  return trigger === "regenerate-message" || (messageId !== undefined && messages.at(-1)?.role === "user");
}

function answerCommand(runId: string, { nodeId, prompt, promptId }: Pause, text: string | undefined): RuntimeCommand {
  const asked = prompt !== undefined || promptId !== undefined;
  if (asked && text !== undefined) return { type: "reply", runId, nodeId, promptId, text };
  return { type: "resume", runId, nodeId, text };
}

function lastUserMessage<MESSAGE extends ChatMessage>({ messages }: SendRequest<MESSAGE>): MESSAGE | undefined {
  return messages.findLast(({ role }) => role === "user");
}

function textIn({ parts }: ChatMessage): string {
  return parts.flatMap((part) => ("text" in part && part.type === "text" ? [String(part.text)] : [])).join("");
}

function shownOf({ reasoning = true, steps = true, dataParts = true }: RuntimeTransportOptions<never>): Shown {
  const parts = typeof dataParts === "boolean" ? { flowStatus: dataParts, nodeOutput: dataParts } : dataParts;
  return { reasoning, steps, flowStatus: parts.flowStatus ?? true, nodeOutput: parts.nodeOutput ?? true };
}

/** Also where `crypto.randomUUID` is missing: on a page that came over plain HTTP. */
function newId(): string {
  return `run-${crypto.getRandomValues(new Uint32Array(4)).reduce((id, part) => id + part.toString(36).padStart(7, "0"), "")}`;
}
