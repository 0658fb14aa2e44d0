import { join } from "node:path";
import type { Tape } from "../audit/auditor.ts";
import { Recording } from "../recording.ts";

/** Who writes down what they get, and what it is. */
const CLIENTS = {
  alice: { kind: "v2", whole: false },
  bob: { kind: "v2", whole: false },
  carol: { kind: "sse", whole: false },
  screen: { kind: "sse", whole: true },
  dave: { kind: "sse", whole: false },
} as const;

type Client = keyof typeof CLIENTS;

export type Recordings = Record<Client, Recording>;

/** A file for each client of a session, and what the audit must know of it. */
export function openTapes(sessionId: string, folder: string): { tapes: Tape[]; recordings: Recordings } {
  const tapes: Tape[] = [];
  const record = (name: Client) => {
    const path = join(folder, `${sessionId}.${name}.jsonl`);
    tapes.push({ sessionId, name, path, ...CLIENTS[name] });
    return new Recording(path);
  };
  const recordings = {
    alice: record("alice"),
    bob: record("bob"),
    carol: record("carol"),
    screen: record("screen"),
    dave: record("dave"),
  };
  return { tapes, recordings };
}
