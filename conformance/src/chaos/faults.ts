import { setTimeout as delay } from "node:timers/promises";
import type { Cast } from "./actors/cast.ts";
import type { Auditor } from "./audit/auditor.ts";
import type { Fault, Host, TimedFault } from "./fault-plan.ts";
import { Kills } from "./kills.ts";
import type { Stage } from "./stage.ts";

/** A server that was killed a moment ago needs a while before there is something to hit again. */
const STREAMING_MS = 10_000;
/** Kills that may be added until one has fallen inside a batch that was not written. */
const FURTHER_KILLS = 10;

/** What was done to the product. */
export class Injector {
  readonly counts = new Map<string, number>();
  readonly kills = new Kills();
  /** Kills of workerd at which some client had what was never stored. */
  killsInside = 0;
  #stage: Stage;
  #auditor: Auditor;

  constructor(stage: Stage, auditor: Auditor) {
    this.#stage = stage;
    this.#auditor = auditor;
  }

  /** Each fault at its time, or as soon as the one before is done. */
  async run(faults: readonly TimedFault[]): Promise<void> {
    const start = performance.now();
    for (const fault of faults) {
      await delay(Math.max(0, start + fault.at - performance.now()));
      await this.#inject(fault);
    }
  }

  /** A campaign must hit an unwritten batch: it goes on until it has, within bounds. */
  async insist(): Promise<void> {
    for (let further = 0; this.killsInside === 0 && further < FURTHER_KILLS; further += 1) await this.#killWorkerd();
  }

  count(kind: string, times = 1): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + times);
  }

  async #inject(fault: Fault): Promise<void> {
    const cast = "session" in fault ? this.#stage.casts[fault.session] : undefined;
    switch (fault.kind) {
      case "kill-workerd":
        await this.#killWorkerd();
        return fault.again ? this.#killWorkerd(0) : undefined;
      case "kill-workerd-and-runner":
        await this.#killWorkerd();
        return this.#killRunner(fault.host);
      case "kill-runner":
        await this.#stage.untilStreaming(STREAMING_MS);
        return this.#killRunner(fault.host);
      case "kill-agent":
        return cast ? this.#killAgent(cast) : undefined;
      case "cut-clients":
        cast?.cut();
        return this.count(fault.kind);
      case "stall-readers":
        cast?.stall(fault.ms);
        return this.count(fault.kind);
      case "reconnect-storm":
        cast?.storm(fault.backs);
        return this.count(fault.kind);
      case "cut-runner":
        await this.#stage.untilStreaming(STREAMING_MS);
        this.#stage.line.cut(fault.delays);
        return this.count(fault.kind);
      case "stall-runner":
        this.#stage.line.stall(fault.ms);
        return this.count(fault.kind);
      default:
        return fault satisfies never;
    }
  }

  async #killWorkerd(waitMs = STREAMING_MS): Promise<void> {
    await this.#stage.untilStreaming(waitMs);
    const look = () => {
      if (this.#auditor.inspect() > 0) this.killsInside += 1;
    };
    await this.#stage.killWorkerd(() => this.kills.workerd(), look);
    this.count("kill-workerd");
  }

  #killAgent(cast: Cast): void {
    this.kills.agentOf(cast.sessionId);
    if (this.#stage.killAgent(cast)) this.count("kill-agent");
  }

  async #killRunner(host: Host): Promise<void> {
    await this.#stage.killRunner(host, () => this.kills.runnerIn(this.#stage.dataOf(host)));
    this.count("kill-runner");
  }
}
