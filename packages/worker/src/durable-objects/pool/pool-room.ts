import type { HostCommand, Isolation, PoolCommand } from "@agent-ops/shared/frames";
import type { Times } from "@agent-ops/shared/times";
import { logWarning } from "../../lib/log.ts";
import type { RoomStorage } from "../session/storage.ts";
import { ForgetTable } from "./forget-table.ts";
import { type HostRecord, HostTable } from "./host-table.ts";
import { type Lease, LeaseTable } from "./lease-table.ts";
import { PlaceTable } from "./place-table.ts";

/** A host that was away for so long does not come back. */
const FORGET_MS = 30 * 24 * 3_600_000;

export interface PoolPorts {
  storage: RoomStorage;
  times: Pick<Times, "hostLostMs" | "hostSilentMs" | "returnMs">;
  /** SEC2: the operator says that agents need not be kept apart. */
  trustsAgents: boolean;
  now(): number;
  setAlarm(at: number): void;
  isConnected(host: string): boolean;
  tell(host: string, commands: PoolCommand[]): void;
  /** Ends the connection of a host; one that is alive comes back. */
  cut(host: string): void;
  /** Tells a session that nobody holds this lease any more. */
  runnerLost(sessionId: string, epoch: number): void;
}

/** What a session says when it wants a runner. */
export type Wish = { agent: string; shared: boolean };
type Hello = Extract<HostCommand, { type: "hello" }>;

/** Knows the runner hosts and gives each session that asks to one of them. */
export class PoolRoom {
  #ports: PoolPorts;
  #hosts: HostTable;
  #leases: LeaseTable;
  #places: PlaceTable;
  #forgets: ForgetTable;

  constructor(ports: PoolPorts) {
    this.#ports = ports;
    this.#hosts = new HostTable(ports.storage);
    this.#leases = new LeaseTable(ports.storage);
    this.#places = new PlaceTable(ports.storage);
    this.#forgets = new ForgetTable(ports.storage, ports.now());
    // Nobody says goodbye to a pool whose process died: those who are not here have to come back in time.
    for (const { host, due } of this.#hosts.all()) {
      if (!ports.isConnected(host)) this.#hosts.setDue(host, Math.max(Math.min(due, this.#lostAt()), this.#backAt()));
    }
    this.#arm();
  }

  /** POOL1: a session wants a runner under this lease. Where no host can take it, the next one that can does. */
  open(sessionId: string, epoch: number, wish: Wish): void {
    const known = this.#leases.get(sessionId);
    if (known && known.epoch > epoch) return;
    this.#place({ sessionId, epoch, ...wish, host: null, state: "open" });
  }

  /**
   * POOL7: the session was deleted. Every host that had it removes what it has of it, as soon as it is there. Until it
   * has, it does not get a session that is made anew under the same id: it would remove what is new.
   */
  forget(sessionId: string): void {
    const now = this.#ports.now();
    const hosts = this.#places.of(sessionId);
    this.#ports.storage.transaction(() => {
      this.#leases.remove(sessionId);
      this.#places.remove(sessionId);
      this.#forgets.dropBefore(now - FORGET_MS);
      for (const host of hosts) this.#forgets.add(host, sessionId, now);
    });
    for (const host of hosts) this.#ports.tell(host, [{ type: "forget", sessionId }]);
  }

  /** POOL5: to whom the session is given at present. */
  holder(sessionId: string): string | undefined {
    const lease = this.#leases.get(sessionId);
    return lease?.state === "open" ? (lease.host ?? undefined) : undefined;
  }

  /** SEC2: what can be promised to a session that is going to be shared: where its workspace is, or by any host. */
  isolation(sessionId: string): Isolation {
    const [last] = this.#places.of(sessionId);
    const own = last === undefined ? undefined : this.#hosts.get(last);
    if (own) return own.isolation;
    return this.#hosts.all().some((host) => host.isolation === "user") ? "user" : "none";
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
    // SEC2: one that keeps agents apart no longer has lost its shared sessions.
    for (const lease of this.#leases.of(host, "open")) if (!this.#fits({ isolation }, lease)) this.#lose(lease);
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
   * A session goes back to the host that had it last. One that is away for a moment is waited for; otherwise it is
   * another that had it, or whoever has the fewest sessions.
   */
  #place(lease: Lease): void {
    const own = this.#places.of(lease.sessionId).flatMap((host) => this.#hosts.get(host) ?? []);
    const fit = own.filter((host) => this.#fits(host, lease));
    const [last] = fit;
    const waits = last !== undefined && this.#isAwayForAMoment(last);
    const host = waits ? last.host : (fit.find((place) => this.#canTake(place))?.host ?? this.#leastLoaded(lease));
    const placed = { ...lease, host: host ?? null };
    this.#ports.storage.transaction(() => {
      this.#leases.put(placed);
      if (host !== undefined) this.#places.put(lease.sessionId, host, lease.epoch);
    });
    if (host === undefined && lease.shared && this.#hosts.all().some((any) => !this.#fits(any, lease))) {
      logWarning("a shared session waits for a host that keeps agents apart", { sessionId: lease.sessionId });
    }
    if (host !== undefined && !waits) this.#ports.tell(host, [toOpen(placed)]);
  }

  /** SEC2 */
  #fits({ isolation }: Pick<HostRecord, "isolation">, { shared }: Lease): boolean {
    return !shared || this.#ports.trustsAgents || isolation === "user";
  }

  #isAwayForAMoment(host: HostRecord): boolean {
    return !host.draining && this.#isExpected(host) && !this.#ports.isConnected(host.host);
  }

  #placeWaiting(): void {
    for (const lease of this.#leases.waiting()) this.#place(lease);
  }

  /** Among those that have the agent; where none has it, any host will say so. */
  #leastLoaded(lease: Lease): string | undefined {
    const { agent, sessionId } = lease;
    const loads = this.#leases.loads();
    const load = ({ host }: HostRecord) => loads.get(host) ?? 0;
    const ready = this.#hosts.all().filter((host) => this.#canTake(host) && load(host) < host.capacity);
    const fit = ready.filter((host) => this.#fits(host, lease));
    const free = fit.filter(({ host }) => !this.#forgets.has(host, sessionId));
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
    for (const lease of this.#leases.of(host, "open")) this.#lose(lease);
  }

  #lose(lease: Lease): void {
    this.#leases.put({ ...lease, state: "rest" });
    this.#ports.runnerLost(lease.sessionId, lease.epoch);
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
    const { hostLostMs, returnMs } = this.#ports.times;
    return this.#ports.now() + Math.min(hostLostMs, returnMs);
  }

  #silentAt(): number {
    return this.#ports.now() + this.#ports.times.hostSilentMs;
  }
}

function toOpen({ sessionId, epoch }: Lease): PoolCommand {
  return { type: "open", sessionId, epoch };
}
