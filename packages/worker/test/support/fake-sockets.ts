import { type ClientBoundEvent, hasSeq, type LogEvent, type UnknownEvent } from "@agent-ops/shared/events";
import { type RunnerCommand, runnerCommand } from "@agent-ops/shared/frames";
import { expect } from "vitest";
import { z } from "zod";

/** One end of a WebSocket as the session sees it. */
class FakeSocket {
  readonly frames: string[] = [];
  closed: { code: number; reason: string } | undefined;
  onSend: (text: string) => void = () => undefined;
  #attachment: unknown;

  send(text: string): void {
    if (this.closed) throw new TypeError("Can't call WebSocket send() after close().");
    this.frames.push(text);
    this.onSend(text);
  }

  close(code: number, reason: string): void {
    this.closed ??= { code, reason };
  }

  serializeAttachment(value: unknown): void {
    this.#attachment = structuredClone(value);
  }

  deserializeAttachment(): unknown {
    return structuredClone(this.#attachment);
  }

  /** EV5: the session always sends arrays. */
  protected items(): unknown[] {
    return this.frames.flatMap((frame) => z.array(z.unknown()).parse(JSON.parse(frame)));
  }
}

export class FakeReaderSocket extends FakeSocket {
  /** All that came, of the log and beside it. */
  get received(): ClientBoundEvent[] {
    return this.items() as ClientBoundEvent[]; // what the session sends is under test, not parsed
  }

  get events(): LogEvent[] {
    return this.received.filter(hasSeq);
  }

  get seqs(): number[] {
    return this.events.map((event) => event.seq);
  }

  get errors(): string[] {
    return this.received.flatMap((event) => (event.type === "error" && "code" in event ? [String(event.code)] : []));
  }
}

export class FakeRunnerSocket extends FakeSocket {
  get commands(): RunnerCommand[] {
    return z.array(runnerCommand).parse(this.items());
  }

  ofType<T extends RunnerCommand["type"]>(type: T): Extract<RunnerCommand, { type: T }>[] {
    return this.commands.filter((command) => command.type === type) as Extract<RunnerCommand, { type: T }>[];
  }

  get acknowledged(): number {
    return this.ofType("ack").at(-1)?.seq ?? 0;
  }
}

/** An event of the log as its sender wrote it. */
export function payloadOf(event: LogEvent): UnknownEvent {
  const { seq: _seq, ts: _ts, ...payload } = event;
  return payload;
}

/** EV2 */
export function expectNoGaps(events: readonly LogEvent[], first = 1): void {
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => first + index));
}
