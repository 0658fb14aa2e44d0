import type { Reporter, TestCase } from "vitest/node";

/** Names the tests that passed only when they were tried again: each has a cause that is still to be found. */
export default class SecondTries implements Reporter {
  #names: string[] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky) this.#names.push(`${test.module.relativeModuleId} > ${test.fullName}`);
  }

  onTestRunEnd(): void {
    console.log(`\nneeded a second try: ${this.#names.length}${this.#names.map((name) => `\n  ${name}`).join("")}`);
  }
}
