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
/** Where an index that is ignored cannot be taken for one that is off by one. */
const PROBE_CUT = 3;

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
  /** Most endpoints replay everything whatever the index; then further attempts would only be a burden. */
  readonly #heedsIndex = Promise.withResolvers<boolean>();
  #received = 0;
  #first: StreamChunk | undefined;

  constructor(endpoint: Endpoint, chatId: string) {
    this.#endpoint = endpoint;
    this.#chatId = chatId;
  }

  take(chunk: StreamChunk): void {
    this.#first ??= chunk;
    this.#received += 1;
    const cut = this.#received;
    if (REPLAY_CUTS.has(cut)) this.#replays.push(this.#replay(cut));
    if (cut === PROBE_CUT) this.#indexed.push(this.#probe(cut));
    else if (isCut(cut)) this.#indexed.push(this.#continueIfHeeded(cut));
  }

  async settled(): Promise<Omit<ResumedTurn, "whole">> {
    if (this.#received < PROBE_CUT) this.#heedsIndex.resolve(false);
    const indexed = await Promise.all(this.#indexed);
    return { replays: await Promise.all(this.#replays), indexed: indexed.filter((trial) => trial !== undefined) };
  }

  async #replay(cut: number): Promise<Trial> {
    return { cut, recording: await this.#endpoint.resume(this.#chatId) };
  }

  async #probe(cut: number): Promise<Trial> {
    const watch = onLoggedChunk((chunk) => this.#heedsIndex.resolve(!isDeepStrictEqual(chunk, this.#first)));
    const recording = await this.#endpoint.resume(this.#chatId, { startIndex: cut, watch });
    this.#heedsIndex.resolve(false);
    return { cut, recording };
  }

  async #continueIfHeeded(cut: number): Promise<Trial | undefined> {
    if (!(await this.#heedsIndex.promise)) return undefined;
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
