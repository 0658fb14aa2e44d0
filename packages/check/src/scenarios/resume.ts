import { isDeepStrictEqual } from "node:util";
import type { StreamChunk } from "@agent-ops/ai-sdk/stream-checker";
import type { Chat } from "../chat.ts";
import type { ResumedTurn, Trial } from "../checks/resume.ts";
import type { Endpoint } from "../endpoint.ts";
import { FrameParser } from "../frames.ts";
import { chunkOf, isLogged } from "../stream-view.ts";

const REPLAY_CUTS = new Set([1, 8, 24]);
/** Every cut point up to here, then one in so many. */
const DENSE_CUTS = 60;
const SPARSE_STEP = 25;
const LAST_CUT = 1_000;

/** Runs a turn and resumes it, while it runs, at every point where a connection could have broken. */
export async function driveResume(endpoint: Endpoint, chat: Chat, prompt: string): Promise<ResumedTurn> {
  const attempts = new Attempts(endpoint, chat.id);
  const whole = await chat.send(
    prompt,
    onLoggedChunk((chunk) => attempts.take(chunk)),
  );
  return { whole, ...(await attempts.settled()) };
}

class Attempts {
  readonly #endpoint: Endpoint;
  readonly #chatId: string;
  readonly #replays: Promise<Trial>[] = [];
  readonly #indexed: Promise<Trial | undefined>[] = [];
  #received = 0;
  #heedsIndex: Promise<boolean> | undefined;

  constructor(endpoint: Endpoint, chatId: string) {
    this.#endpoint = endpoint;
    this.#chatId = chatId;
  }

  take(chunk: StreamChunk): void {
    this.#received += 1;
    const cut = this.#received;
    if (REPLAY_CUTS.has(cut)) this.#replays.push(this.#replay(cut));
    if (!isCut(cut)) return;
    if (this.#heedsIndex) this.#indexed.push(this.#continueIfHeeded(cut, this.#heedsIndex));
    else this.#probe(chunk);
  }

  async settled(): Promise<Omit<ResumedTurn, "whole">> {
    const indexed = await Promise.all(this.#indexed);
    return { replays: await Promise.all(this.#replays), indexed: indexed.filter((trial) => trial !== undefined) };
  }

  async #replay(cut: number): Promise<Trial> {
    return { cut, recording: await this.#endpoint.resume(this.#chatId) };
  }

  /** The first attempt with an index also tells whether others are worth making: most endpoints replay everything. */
  #probe(first: StreamChunk): void {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#heedsIndex = promise;
    const watch = onLoggedChunk((chunk) => resolve(!isDeepStrictEqual(chunk, first)));
    const trial = this.#endpoint.resume(this.#chatId, { startIndex: 1, watch }).then((recording) => {
      resolve(false);
      return { cut: 1, recording };
    });
    this.#indexed.push(trial);
  }

  async #continueIfHeeded(cut: number, heeded: Promise<boolean>): Promise<Trial | undefined> {
    if (!(await heeded)) return undefined;
    return { cut, recording: await this.#endpoint.resume(this.#chatId, { startIndex: cut }) };
  }
}

function isCut(received: number): boolean {
  return received <= DENSE_CUTS || (received % SPARSE_STEP === 0 && received <= LAST_CUT);
}

/** Calls back for each chunk that a replay would hold. */
function onLoggedChunk(take: (chunk: StreamChunk) => void): (text: string) => void {
  const parser = new FrameParser();
  return (text) => {
    for (const frame of parser.feed(text)) {
      const chunk = chunkOf(frame);
      if (chunk && isLogged(chunk)) take(chunk);
    }
  };
}
