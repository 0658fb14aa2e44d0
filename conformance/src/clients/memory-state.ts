type ChatStatus = "submitted" | "streaming" | "ready" | "error";

/** The state a chat writes to, kept in memory the way the SDK's own React binding keeps it. */
export class MemoryState<M extends { parts: readonly object[] }> {
  error: Error | undefined = undefined;
  messages: M[];
  #status: ChatStatus = "ready";
  readonly #onChange: () => void;

  /** `history` is the JSON of the messages to begin with, as the server gives them. */
  constructor(onChange: () => void, history = "[]") {
    this.#onChange = onChange;
    this.messages = JSON.parse(history);
  }

  get status(): ChatStatus {
    return this.#status;
  }

  set status(status: ChatStatus) {
    this.#status = status;
    this.#onChange();
  }

  pushMessage = (message: M): void => {
    this.messages = this.messages.concat(message);
    this.#onChange();
  };

  popMessage = (): void => {
    this.messages = this.messages.slice(0, -1);
    this.#onChange();
  };

  replaceMessage = (index: number, message: M): void => {
    this.messages = this.messages.with(index, this.snapshot(message));
    this.#onChange();
  };

  snapshot = <T>(value: T): T => structuredClone(value);
}
