import { randomUUID } from "node:crypto";
import type { Answer, Question } from "@agent-ops/shared/questions";
import type { AgentEvent } from "../agent-client.ts";

type Asked = Omit<Question, "questionId" | "turnId">;
export type SpawnWish = { prompt: string; title?: string | undefined };

interface OpenTurn {
  signal: AbortSignal;
  tell(event: AgentEvent): Promise<void>;
}

/** Where one session's agent gets what it asks of the runner, while a turn runs. */
export class Desk {
  #spawn: (wish: SpawnWish) => Promise<string>;
  #turn: OpenTurn | undefined;
  #questions = new Map<string, (answer: Answer) => void>();

  constructor(spawn: (wish: SpawnWish) => Promise<string>) {
    this.#spawn = spawn;
  }

  begin(turn: OpenTurn): void {
    this.#turn = turn;
  }

  /** A turn that was given up may end after the next one has begun. */
  end(turn: OpenTurn): void {
    if (this.#turn !== turn) return;
    this.#turn = undefined;
    this.#questions.clear();
  }

  async tell(event: AgentEvent): Promise<void> {
    await this.#open().tell(event);
  }

  /** Waits for a person; throws where the turn ends before, or whoever asked has gone. */
  async ask(question: Asked, asker: AbortSignal): Promise<Answer> {
    const { signal, tell } = this.#open();
    const questionId = randomUUID();
    const gone = AbortSignal.any([signal, asker]);
    gone.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    // It may be withdrawn before anybody waits for it.
    promise.catch(() => {});
    gone.addEventListener("abort", () => reject(new Error("The question was withdrawn: the turn has ended.")));
    this.#questions.set(questionId, resolve);
    await tell({ type: "question", questionId, ...question });
    return promise;
  }

  async spawn(wish: SpawnWish): Promise<string> {
    this.#open();
    return this.#spawn(wish);
  }

  /** Says whether the question was one of these. */
  answer(questionId: string, answer: Answer): boolean {
    const resolve = this.#questions.get(questionId);
    this.#questions.delete(questionId);
    resolve?.(answer);
    return resolve !== undefined;
  }

  #open(): OpenTurn {
    if (!this.#turn) throw new Error("There is no turn now.");
    return this.#turn;
  }
}
