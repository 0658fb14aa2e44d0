export type ProblemKind = "lost" | "doubled" | "different" | "failed" | "stuck";
export type Problem = { kind: ProblemKind; where: string; what: string };

/** What the audit compared, and what it found wrong. */
export class Findings {
  readonly problems: Problem[] = [];
  /** Events and chunks that a client got and the log has. */
  compared = 0;
  bytes = 0;
  /** Stored messages that were held against the log. */
  messages = 0;

  add(kind: ProblemKind, where: string, what: string): void {
    this.problems.push({ kind, where, what });
  }

  count(kind: ProblemKind): number {
    return this.problems.filter((problem) => problem.kind === kind).length;
  }

  /** What a client got, and what the log says it should be. */
  compare(where: string, got: string, expected: string): void {
    this.compared += 1;
    this.bytes += Buffer.byteLength(got);
    if (got !== expected) this.add("different", where, `got ${shorten(got)}, the log has ${shorten(expected)}`);
  }
}

const SHOWN_CHARS = 200;

function shorten(text: string): string {
  return text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS)}...`;
}
