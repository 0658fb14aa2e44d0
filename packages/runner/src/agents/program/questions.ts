import type { Answer } from "@agent-ops/shared/questions";

/** Questions that wait for a person. */
export class Questions {
  #open = new Map<string, (answer: Answer) => void>();

  /** The answer to come; to be called before the question is asked, so that none can be missed. */
  expect(questionId: string, signal: AbortSignal): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const settle = (run: () => void) => {
        this.#open.delete(questionId);
        signal.removeEventListener("abort", give);
        run();
      };
      const give = () => settle(() => reject(signal.reason));
      signal.addEventListener("abort", give);
      this.#open.set(questionId, (answer) => settle(() => resolve(answer)));
    });
  }

  answer(questionId: string, answer: Answer): void {
    this.#open.get(questionId)?.(answer);
  }
}
