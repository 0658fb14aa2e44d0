import { join } from "node:path";
import { type Child, startChild } from "../child.ts";
import { type GroupStats, type ReaderRequest, readerReply } from "./protocol.ts";

type Waiting = { resolve(stats: GroupStats | undefined): void; reject(error: Error): void };

/** The load generator, seen from the bench. */
export class ReaderPool {
  #child: Child;
  #waiting = new Map<number, Waiting>();
  #nextId = 1;

  private constructor(child: Child) {
    this.#child = child;
    child.process.on("message", (message) => this.#onReply(message));
    child.process.once("exit", () => this.#onExit());
  }

  static async start(): Promise<ReaderPool> {
    return new ReaderPool(await startChild(join(import.meta.dirname, "reader-process.ts")));
  }

  async open(request: Omit<Extract<ReaderRequest, { type: "open" }>, "type">): Promise<GroupStats> {
    return required(await this.#ask({ type: "open", ...request }));
  }

  async collect(group: string, timeoutMs: number): Promise<GroupStats> {
    return required(await this.#ask({ type: "collect", group, timeoutMs }));
  }

  async close(group: string): Promise<void> {
    await this.#ask({ type: "close", group });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#child.stop();
  }

  #ask(request: ReaderRequest): Promise<GroupStats | undefined> {
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<GroupStats | undefined>();
    this.#waiting.set(id, { resolve, reject });
    this.#child.process.send({ id, request });
    return promise;
  }

  #onReply(message: unknown): void {
    const { id, stats, error } = readerReply.parse(message);
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(stats);
    else waiting?.reject(new Error(`The readers: ${error}`));
  }

  #onExit(): void {
    for (const { reject } of this.#waiting.values()) reject(new Error("The readers' process ended."));
    this.#waiting.clear();
  }
}

function required(stats: GroupStats | undefined): GroupStats {
  if (!stats) throw new Error("The readers said nothing.");
  return stats;
}
