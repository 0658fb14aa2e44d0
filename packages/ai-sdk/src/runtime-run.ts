import type { UIChunk } from "@agent-ops/shared/ai-sdk";
import { ChunkLog, type LogPlace } from "./chunk-log.ts";
import { continueIn, hasEnded, type Pause, type RunMoved, type RunState, type Shown, startRun } from "./run-state.ts";
import { cancelRun, failRun, goOn, restRun } from "./run-status.ts";
import type { RuntimeEvent } from "./runtime-events.ts";
import { silentText, untoldText } from "./runtime-texts.ts";
import { translateEvent } from "./runtime-translator.ts";

export type RunSettings = {
  readonly runId: string;
  readonly chatId: string;
  readonly shown: Shown;
  readonly startTimeoutMs: number;
  readonly graceMs: number;
};

export type RunWatcher = {
  onEnd(run: Run): void;
  /** Nobody waits for the run any more. */
  onLeft(run: Run): void;
};

/** One run of the runtime: its message so far, who reads it, and how long it is waited for. */
export class Run {
  readonly runId: string;
  readonly chatId: string;
  readonly #settings: RunSettings;
  readonly #watcher: RunWatcher;
  #state: RunState;
  #log = new ChunkLog();
  /** Aborted when the readers of the log have got its end: their signals mean nothing any more. */
  #told = new AbortController();
  #startTimer: ReturnType<typeof setTimeout> | undefined;
  #graceTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(settings: RunSettings, watcher: RunWatcher) {
    this.runId = settings.runId;
    this.chatId = settings.chatId;
    this.#settings = settings;
    this.#watcher = watcher;
    this.#state = startRun(settings.runId, settings.shown);
  }

  get pause(): Pause | undefined {
    return this.#state.pause;
  }

  get messageId(): string {
    return this.#state.stream.messageId;
  }

  get hasBegun(): boolean {
    return this.#state.stream.phase !== "new";
  }

  /** Somebody left, and nobody has come since. */
  get isLeft(): boolean {
    return this.#graceTimer !== undefined;
  }

  /** A runtime that says nothing at all was perhaps never started. */
  awaitStart(): void {
    const { startTimeoutMs } = this.#settings;
    if (startTimeoutMs === 0 || hasEnded(this.#state)) return;
    this.#startTimer = setTimeout(() => {
      this.#watcher.onLeft(this);
      this.fail(silentText(startTimeoutMs / 1000));
    }, startTimeoutMs);
  }

  /** False where the event's type is one that nobody told us about. */
  take(event: RuntimeEvent): boolean {
    clearTimeout(this.#startTimer);
    try {
      const moved = translateEvent(this.#state, event);
      if (moved) this.#move(moved);
      return moved !== undefined;
    } catch (error) {
      this.fail(untoldText(error));
      return true;
    }
  }

  fail(text: string): void {
    this.#move(failRun(this.#state, text));
  }

  cancel(): void {
    this.#move(cancelRun(this.#state));
  }

  /** The message from its start or from a later place, then what comes. */
  read(signal: AbortSignal | undefined, from?: LogPlace): ReadableStream<UIChunk> {
    this.#stay();
    const { stream, leave } = this.#log.read(from);
    if (hasEnded(this.#state)) return stream;
    const onAbort = () => {
      leave(cancelRun(this.#state).chunks);
      this.#waitForReturn();
    };
    if (signal?.aborted) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true, signal: this.#told.signal });
    return stream;
  }

  /**
   * The run goes on in another stream: of the same message, or of a new one. Whoever read until now gets the end of
   * what there was.
   */
  handOver(messageId: string, signal: AbortSignal | undefined): ReadableStream<UIChunk> {
    const rest = restRun(this.#state);
    const same = messageId === this.messageId;
    this.#log.append(rest.chunks);
    const told = this.#log.entries.length;
    const next = new ChunkLog(same ? this.#log.entries : []);
    this.#log.append([{ type: "finish" }]);
    this.#endLog();
    this.#log = next;
    this.#state = same ? rest.state : continueIn(rest.state, messageId);
    const stream = this.read(signal, same ? { place: told, first: [{ type: "start", messageId }] } : undefined);
    this.#move(goOn(this.#state));
    return stream;
  }

  #waitForReturn(): void {
    if (hasEnded(this.#state)) return;
    this.#stay();
    this.#graceTimer = setTimeout(() => {
      this.#watcher.onLeft(this);
      this.cancel();
    }, this.#settings.graceMs);
  }

  #stay(): void {
    clearTimeout(this.#graceTimer);
    this.#graceTimer = undefined;
  }

  #move({ state, chunks }: RunMoved): void {
    const ends = hasEnded(state) && !hasEnded(this.#state);
    this.#state = state;
    this.#log.append(chunks);
    if (!ends) return;
    clearTimeout(this.#startTimer);
    this.#stay();
    this.#endLog();
    this.#watcher.onEnd(this);
  }

  #endLog(): void {
    this.#told.abort();
    this.#told = new AbortController();
    this.#log.end();
  }
}
