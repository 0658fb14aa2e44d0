type ChatStatus = "submitted" | "streaming" | "ready" | "error";

/** The state a chat writes to, kept in memory the way the SDK's own React binding keeps it. */
export class MemoryState<M extends { parts: readonly object[] }> {
  error: Error | undefined = undefined;
  messages: M[] = [];
  #status: ChatStatus = "ready";
  readonly #onStatus: () => void;

  constructor(onStatus: () => void) {
    this.#onStatus = onStatus;
  }

  get status(): ChatStatus {
    return this.#status;
  }

  set status(status: ChatStatus) {
    this.#status = status;
    this.#onStatus();
  }

  pushMessage = (message: M): void => {
    this.messages = this.messages.concat(message);
  };

  popMessage = (): void => {
    this.messages = this.messages.slice(0, -1);
  };

  replaceMessage = (index: number, message: M): void => {
    this.messages = this.messages.with(index, this.snapshot(message));
  };

  snapshot = <T>(value: T): T => structuredClone(value);
}
