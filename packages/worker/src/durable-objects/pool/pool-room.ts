import type { HostCommand, Isolation, PoolCommand } from "@agent-ops/shared/frames";
import { TIMES } from "@agent-ops/shared/limits";
import type { RoomStorage } from "../session/storage.ts";
import { ForgetTable } from "./forget-table.ts";
import { type HostRecord, HostTable } from "./host-table.ts";
import { type Lease, LeaseTable } from "./lease-table.ts";

export interface PoolPorts {
  storage: RoomStorage;
  times: { hostLostMs: number; hostSilentMs: number };
  now(): number;
  setAlarm(at: number): void;
  isConnected(host: string): boolean;
  tell(host: string, commands: PoolCommand[]): void;
  /** Ends the connection of a host; one that is alive comes back. */
  cut(host: string): void;
  /** Tells a session that nobody holds this lease any more. */
  runnerLost(sessionId: string, epoch: number): void;
}

type Hello = Extract<HostCommand, { type: "hello" }>;

/** Knows the runner hosts and gives each session that asks to one of them. */
export class PoolRoom {
  #ports: PoolPorts;
  #hosts: HostTable;
  #leases: LeaseTable;
  #forgets: ForgetTable;

  constructor(ports: PoolPorts) {
    this.#ports = ports;
    this.#hosts = new HostTable(ports.storage);
    this.#leases = new LeaseTable(ports.storage);
    this.#forgets = new ForgetTable(ports.storage);
    // Nobody says goodbye to a pool whose process died: those who are not here have to come back in time.
    for (const { host, due } of this.#hosts.all()) {
      if (!ports.isConnected(host)) this.#hosts.setDue(host, Math.max(Math.min(due, this.#lostAt()), this.#backAt()));
    }
    this.#arm();
  }

  /** POOL1: a session wants a runner under this lease. Where no host can take it, the next one that can does. */
  open(sessionId: string, epoch: number, agent: string): void {
    const known = this.#leases.get(sessionId);
    if (known && known.epoch > epoch) return;
    this.#place({ sessionId, epoch, agent, host: known?.host ?? null, state: "open" });
  }

  /**
   * POOL7: the session was deleted. Its host removes what it has of it, as soon as it is there. Until it has, it does
   * not get a session that is made anew under the same id: it would remove what is new.
   */
  forget(sessionId: string): void {
    const host = this.#leases.get(sessionId)?.host;
    this.#leases.remove(sessionId);
    if (!host) return;
    this.#forgets.add(host, sessionId);
    this.#ports.tell(host, [{ type: "forget", sessionId }]);
  }

  /** POOL5: to whom the session is given at present. */
  holder(sessionId: string): string | undefined {
    const lease = this.#leases.get(sessionId);
    return lease?.state === "open" ? (lease.host ?? undefined) : undefined;
  }

  /** "user" where every host keeps agents apart; where there is none, nothing is promised. */
  isolation(): Isolation {
    const hosts = this.#hosts.all();
    return hosts.length > 0 && hosts.every((host) => host.isolation === "user") ? "user" : "none";
  }

  /** POOL8 */
  agents(): string[] {
    return [...new Set(this.#hosts.all().flatMap(({ agents }) => agents))].sort();
  }

  command(host: string, command: HostCommand): void {
    switch (command.type) {
      case "hello":
        return this.#onHello(host, command);
      case "draining":
        return this.#hosts.drain(host);
      case "closed":
        return this.#onClosed(host, command.sessionId, command.epoch);
      case "forgotten":
        return this.#onForgotten(host, command.sessionId);
      case "ping":
        return this.#onPing(host);
      default:
        return command satisfies never;
    }
  }

  /** POOL3: the host has lost its connection; it may come back. */
  left(host: string): void {
    if (!this.#ports.isConnected(host) && this.#hosts.setDue(host, this.#lostAt())) this.#arm();
  }

  onAlarm(): void {
    for (const { host, due } of this.#hosts.all()) if (due <= this.#ports.now()) this.#giveUp(host);
    this.#arm();
  }

  #onHello(host: string, { agents, sessions, capacity = Number.POSITIVE_INFINITY, isolation }: Hello): void {
    this.#hosts.put({ host, agents, capacity, isolation, draining: false, due: this.#silentAt() });
    const own = this.#leases.of(host, "open");
    const gone = this.#forgets.of(host);
    const known = new Set([...own.map(({ sessionId }) => sessionId), ...gone]);
    this.#ports.tell(host, [
      { type: "welcome" },
      ...own.map(toOpen),
      ...gone.map((sessionId) => ({ type: "forget" as const, sessionId })),
      ...sessions.filter((id) => !known.has(id)).map((sessionId) => ({ type: "close" as const, sessionId })),
    ]);
    this.#placeWaiting();
    this.#arm();
  }

  /** POOL2: a newer lease is not given back with an older one. */
  #onClosed(host: string, sessionId: string, epoch: number): void {
    const lease = this.#leases.get(sessionId);
    if (lease?.host !== host) return;
    if (lease.epoch <= epoch) this.#leases.put({ ...lease, state: "rest" });
    this.#placeWaiting();
  }

  #onForgotten(host: string, sessionId: string): void {
    this.#forgets.remove(host, sessionId);
    this.#placeWaiting();
  }

  #onPing(host: string): void {
    if (this.#hosts.setDue(host, this.#silentAt())) this.#ports.tell(host, [{ type: "pong" }]);
    else this.#ports.cut(host);
  }

  /**
   * A session goes back to the host that has its workspace. One that is away for a moment is waited for; otherwise it
   * is whoever has the fewest sessions.
   */
  #place(lease: Lease): void {
    const own = lease.host === null ? undefined : this.#hosts.get(lease.host);
    const waits = own !== undefined && !own.draining && this.#isExpected(own) && !this.#ports.isConnected(own.host);
    const host = waits || (own && this.#canTake(own)) ? own.host : this.#leastLoaded(lease);
    const placed = { ...lease, host: host ?? null };
    this.#leases.put(placed);
    if (host !== undefined && !waits) this.#ports.tell(host, [toOpen(placed)]);
  }

  #placeWaiting(): void {
    for (const lease of this.#leases.waiting()) this.#place(lease);
  }

  /** Among those that have the agent; where none has it, any host will say so. */
  #leastLoaded({ agent, sessionId }: Lease): string | undefined {
    const loads = this.#leases.loads();
    const load = ({ host }: HostRecord) => loads.get(host) ?? 0;
    const ready = this.#hosts.all().filter((host) => this.#canTake(host) && load(host) < host.capacity);
    const free = ready.filter(({ host }) => !this.#forgets.has(host, sessionId));
    const able = free.filter((host) => host.agents.includes(agent));
    return (able.length > 0 ? able : free).toSorted((a, b) => load(a) - load(b))[0]?.host;
  }

  #canTake(host: HostRecord): boolean {
    return !host.draining && this.#isExpected(host) && this.#ports.isConnected(host.host);
  }

  #isExpected({ due }: HostRecord): boolean {
    return due > this.#ports.now();
  }

  /** POOL3: its sessions are told, and ask again when they need a runner. */
  #giveUp(host: string): void {
    this.#hosts.remove(host);
    this.#ports.cut(host);
    for (const lease of this.#leases.of(host, "open")) {
      this.#leases.put({ ...lease, state: "rest" });
      this.#ports.runnerLost(lease.sessionId, lease.epoch);
    }
  }

  #arm(): void {
    const [first] = this.#hosts.all().toSorted((a, b) => a.due - b.due);
    if (first) this.#ports.setAlarm(first.due);
  }

  #lostAt(): number {
    return this.#ports.now() + this.#ports.times.hostLostMs;
  }

  /** BAD5: before it started, nobody could come back. */
  #backAt(): number {
    return this.#ports.now() + Math.min(this.#ports.times.hostLostMs, TIMES.returnMs);
  }

  #silentAt(): number {
    return this.#ports.now() + this.#ports.times.hostSilentMs;
  }
}

function toOpen({ sessionId, epoch }: Lease): PoolCommand {
  return { type: "open", sessionId, epoch };
}
