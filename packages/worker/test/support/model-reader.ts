import { hasSeq, type LogEvent } from "@agent-ops/shared/events";
import { expect } from "vitest";
import type { FakeReaderSocket } from "./fake-sockets.ts";
import type { TestSession } from "./test-session.ts";

/** A V2 reader that keeps its own copy of the log and does as LOG5 says when it comes back. */
export class ModelReader {
  readonly view: LogEvent[] = [];
  #session: TestSession;
  #generation: number | undefined;
  #socket: FakeReaderSocket | undefined;
  #heard = 0;

  constructor(session: TestSession) {
    this.#session = session;
    this.connect();
  }

  /** Comes back with its last seq, after a cut or a crash. */
  connect(): void {
    const since = this.view.length;
    this.#heard = 0;
    this.#socket = this.#session.read(
      this.#generation === undefined ? { since } : { since, generation: this.#generation },
    );
    this.listen();
  }

  leave(): void {
    this.listen();
    if (this.#socket) this.#session.room.journal.readers.remove(this.#socket);
    this.#socket = undefined;
  }

  /** The session's process died: what it had sent arrived, nothing more will. */
  lose(): void {
    this.listen();
    this.#socket = undefined;
  }

  listen(): void {
    for (const event of this.#socket?.received.slice(this.#heard) ?? []) {
      this.#heard += 1;
      if (hasSeq(event)) {
        expect(event.seq).toBe(this.view.length + 1);
        this.view.push(event);
      } else if (event.type === "hello" || event.type === "rewind") {
        this.#generation = Number(event.generation);
        this.view.length = Number(event.seq);
      }
    }
  }
}
