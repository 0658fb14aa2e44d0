import { shown } from "./verdict.ts";

/** Bytes as they came, and when. */
export type Piece = { readonly at: number; readonly text: string };

/** One request and everything that came back. Times are milliseconds of one clock. */
export type Recording = {
  /** What was asked, for people. */
  readonly name: string;
  /** 0 where no answer came. */
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly startedAt: number;
  readonly answeredAt: number;
  readonly endedAt: number;
  readonly pieces: readonly Piece[];
  /** `closed` by us, `cut` by the network or the server, or not over in time. */
  readonly ending: "whole" | "closed" | "cut" | "timeout";
  /** What the network said, where there is no answer or it was cut. */
  readonly failure?: string;
};

export function bodyOf(recording: Recording): string {
  return recording.pieces.map((piece) => piece.text).join("");
}

export function isSuccess({ status }: Recording): boolean {
  return status >= 200 && status < 300;
}

/** "HTTP 404 with Not Found", "no answer: connection refused" */
export function describeAnswer(recording: Recording): string {
  if (recording.status === 0) return `no answer: ${recording.failure ?? "nothing came in time"}`;
  const body = shown(bodyOf(recording));
  return `HTTP ${recording.status} with ${body === "" ? "an empty body" : body}`;
}
