import { setTimeout as sleepFor } from "node:timers/promises";
import type { Questions } from "../program/questions.ts";
import type { DemoEvent } from "./messages.ts";

const WORD_MS = 15;

export interface DemoTurn {
  /** What follows the command's name; for ordinary text, all of it. */
  args: string;
  /** What the session was asked so far, with this. */
  prompts: readonly string[];
  workspace: string;
  questions: Questions;
  signal: AbortSignal;
  /** Resolves when all that was said so far has left the process. */
  flush(): Promise<void>;
}

export type DemoAnswer = AsyncGenerator<DemoEvent>;

export interface DemoCommand {
  usage: string;
  help: string;
  run(turn: DemoTurn): DemoAnswer;
}

export function textDelta(delta: string): DemoEvent {
  return { type: "message.part.text-delta", delta };
}

/** Says a text word by word. */
export async function* say(turn: DemoTurn, text: string): DemoAnswer {
  for (const word of words(text)) {
    yield textDelta(word);
    await sleep(turn, WORD_MS);
  }
}

/** Thinks a text word by word. */
export async function* think(turn: DemoTurn, text: string): DemoAnswer {
  for (const word of words(text)) {
    yield { type: "message.part.reasoning-delta", delta: word };
    await sleep(turn, WORD_MS);
  }
}

export async function sleep(turn: DemoTurn, ms: number): Promise<void> {
  await sleepFor(ms, undefined, { signal: turn.signal });
}

function words(text: string): string[] {
  return text.match(/\s*\S+\s*/g) ?? [];
}

const COUNT_LIMIT = 1_000_000;

/** Reads a whole number in bounds; undefined where it is none. */
export function readCount(text: string | undefined, least = 1): number | undefined {
  if (!text || !/^\d{1,7}$/.test(text)) return undefined;
  const count = Number(text);
  return count >= least && count <= COUNT_LIMIT ? count : undefined;
}

export function countHelp(usage: string): string {
  return `That does not work: use \`${usage}\`, where N is a whole number from 1 to ${COUNT_LIMIT.toLocaleString("en")}.`;
}
