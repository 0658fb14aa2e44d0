import { type ClientBoundEvent, hasSeq, type LogEvent } from "@agent-ops/shared/events";
import type { RecordLine } from "../recording.ts";
import type { History } from "./history.ts";
import type { Findings } from "./problems.ts";

/** `stored` is how far the log had come when the process at the other end was killed. */
type Connection = { number: number; since: number; next: number | undefined; stored: number | undefined };
type Arrival = { seq: number; json: string; connection: Connection };

/**
 * Holds the recording of a V2 client against the log. Every connection must bring what follows its cursor without a gap
 * or a double; what was stored of it must be what the log has; and so must all that the client keeps in view.
 */
export class V2Audit {
  #name: string;
  #history: History;
  #findings: Findings;
  #connections = new Map<number, Connection>();
  #current: Connection | undefined;
  #arrived: Arrival[] = [];
  /** The last event in view. */
  #seq = 0;
  /** In view, and not known to be in the log. */
  #held = new Map<number, Arrival>();
  rewinds = 0;

  constructor(name: string, history: History, findings: Findings) {
    this.#name = name;
    this.#history = history;
    this.#findings = findings;
  }

  take(line: RecordLine): void {
    if (line.k === "open") this.#onOpen(line.c, line.since);
    else if (line.k === "frame") this.#onFrame(this.#connection(line.c), JSON.parse(line.text));
  }

  /** Compares what the log has by now; says how many events are in view that were lost with the process just killed. */
  settle(): number {
    for (const arrival of this.#arrived) {
      if (arrival.seq > (arrival.connection.stored ?? this.#history.seq)) continue;
      this.#compare(arrival);
      if (this.#held.get(arrival.seq) === arrival) this.#held.delete(arrival.seq);
    }
    this.#arrived = [];
    if (this.#isGreeted) this.#compareKept();
    const lost = [...this.#held.values()].filter(({ connection }) => connection.stored === undefined);
    for (const connection of this.#connections.values()) connection.stored ??= this.#history.seq;
    return lost.length;
  }

  /** When everything has come to rest. */
  finish(): void {
    this.settle();
    if (this.#seq === this.#history.seq) return;
    const kind = this.#seq < this.#history.seq ? "lost" : "different";
    this.#findings.add(kind, this.#name, `its view ends at ${this.#seq}, the log at ${this.#history.seq}`);
  }

  /** Whether it is connected to the process that wrote last, and was not told to go back. */
  get #isGreeted(): boolean {
    return this.#current?.next !== undefined && this.#current.stored === undefined;
  }

  /** What an earlier process showed it, and the present one let it keep. */
  #compareKept(): void {
    for (const arrival of this.#held.values()) {
      if (arrival.connection.stored === undefined || arrival.seq > this.#history.seq) continue;
      this.#compare(arrival);
      this.#held.delete(arrival.seq);
    }
  }

  #compare({ seq, json }: Arrival): void {
    this.#findings.compare(`${this.#name} event ${seq}`, json, this.#history.jsonAt(seq));
  }

  #connection(number: number): Connection {
    const connection = this.#connections.get(number);
    if (!connection) throw new Error(`${this.#name} has a frame of connection ${number}, which it never opened.`);
    return connection;
  }

  #onOpen(number: number, since: number): void {
    this.#current = { number, since, next: undefined, stored: undefined };
    this.#connections.set(number, this.#current);
    this.#truncate(since);
  }

  #onFrame(connection: Connection, frame: ClientBoundEvent[]): void {
    for (const event of frame) {
      if (hasSeq(event)) this.#onEvent(connection, event);
      else if (event.type === "hello") this.#onGreeting(connection, connection.since);
      else if (event.type === "rewind") this.#onRewind(connection, Number(event.seq));
      else if (event.type === "init") this.#findings.add("different", this.#name, "it was sent back to the start");
    }
  }

  #onGreeting(connection: Connection, seq: number): void {
    if (connection.next !== undefined) this.#findings.add("doubled", this.#name, "a connection was greeted twice");
    connection.next = seq + 1;
  }

  #onRewind(connection: Connection, seq: number): void {
    const { since } = connection;
    if (seq >= since) this.#findings.add("different", this.#name, `a rewind from ${since} to ${seq}`);
    this.#onGreeting(connection, seq);
    if (connection !== this.#current) return;
    this.rewinds += 1;
    this.#truncate(seq);
  }

  #onEvent(connection: Connection, event: LogEvent): void {
    const { seq } = event;
    const { next } = connection;
    if (seq !== next) {
      const kind = next !== undefined && seq < next ? "doubled" : "lost";
      this.#findings.add(kind, this.#name, `a connection brought event ${seq} where ${next} was due`);
    }
    connection.next = seq + 1;
    const arrival = { seq, json: JSON.stringify(event), connection };
    this.#arrived.push(arrival);
    if (connection !== this.#current) return;
    this.#seq = seq;
    this.#held.set(seq, arrival);
  }

  #truncate(seq: number): void {
    this.#seq = Math.min(this.#seq, seq);
    for (const later of [...this.#held.keys()].filter((key) => key > seq)) this.#held.delete(later);
  }
}
