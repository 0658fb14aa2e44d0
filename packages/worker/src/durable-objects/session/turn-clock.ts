import type { Question } from "@agent-ops/shared/questions";
import { metrics } from "../../lib/metrics.ts";
import { Deadlines } from "./deadlines.ts";
import type { DeskTools } from "./desk-tools.ts";
import type { TurnDesk } from "./turn-desk.ts";

const GRACE = "grace:";
const QUESTION = "question:";

/** Watches the deadlines of turns: TURN5 to TURN7, and those whose asker left. */
export class TurnClock {
  #tools: DeskTools;
  #desk: TurnDesk;
  #deadlines: Deadlines;
  #lastSign: number;
  #startedAt: number;

  constructor(tools: DeskTools, desk: TurnDesk) {
    this.#tools = tools;
    this.#desk = desk;
    this.#deadlines = new Deadlines(tools.ports.storage, tools.ports.setAlarm);
    this.#lastSign = this.#now();
    this.#startedAt = this.#lastSign;
  }

  /** The agent showed that it is alive. */
  sign(): void {
    this.#lastSign = this.#now();
  }

  started(): void {
    this.sign();
    this.#startedAt = this.#now();
    this.#deadlines.clear("hibernate");
    this.#deadlines.set("idle", this.#now() + this.#tools.ports.times.idleMs);
  }

  stopping(): void {
    this.#deadlines.set("abort", this.#now() + this.#tools.ports.times.abortMs);
  }

  ended(turnId: string): void {
    metrics.observe("adapter.latency.turn_duration", this.#now() - this.#startedAt);
    this.#deadlines.clear("idle", "abort", "runner-lost", "no-runner", `${GRACE}${turnId}`);
    this.#deadlines.clearAll(QUESTION);
  }

  /** LIFE2: nothing is waited for any more. */
  terminated(): void {
    this.#deadlines.clear("hibernate");
  }

  /** Nothing runs and nothing waits. */
  resting(): void {
    this.#deadlines.set("hibernate", this.#now() + this.#tools.ports.times.hibernateMs);
  }

  /** BAD5: after a restart no runner has come back yet, and none could before. */
  restored(): void {
    const { runnerLostMs, noRunnerMs, returnMs } = this.#tools.ports.times;
    this.#deadlines.setOnce("runner-lost", this.#now() + runnerLostMs);
    this.#deadlines.postpone("runner-lost", this.#now() + Math.min(runnerLostMs, returnMs));
    this.#deadlines.postpone("no-runner", this.#now() + Math.min(noRunnerMs, returnMs));
  }

  runnerCalled(): void {
    this.#deadlines.set("no-runner", this.#now() + this.#tools.ports.times.noRunnerMs);
  }

  /** Whether a runner was called and has not been here since. */
  get waitsForRunner(): boolean {
    return this.#deadlines.has("no-runner");
  }

  /** Whether the runner of a turn went away and is not back yet. */
  get missesRunner(): boolean {
    return this.#deadlines.has("runner-lost");
  }

  runnerGone(): void {
    if (this.#desk.active) this.#deadlines.set("runner-lost", this.#now() + this.#tools.ports.times.runnerLostMs);
  }

  runnerBack(): void {
    this.#deadlines.clear("runner-lost", "no-runner");
  }

  /** DIS2, DIS3: while people are asked something, nobody has to stay. */
  askerGone(turnId: string): void {
    const { ports, store } = this.#tools;
    const turn = store.turns.get(turnId);
    if (turn?.state !== "queued" && turn?.state !== "active") return;
    if (store.questions.openOf(turnId).length > 0) return store.turns.detach(turn);
    if (ports.times.graceMs > 0) this.#deadlines.set(`${GRACE}${turnId}`, this.#now() + ports.times.graceMs);
    else this.#onGraceOver(turnId);
  }

  /** Q1 */
  asked({ questionId, expiresAt }: Question): void {
    if (expiresAt !== undefined) this.#deadlines.set(`${QUESTION}${questionId}`, expiresAt);
  }

  /** Somebody answered: that is a sign of life too. */
  answered(questionId: string): void {
    this.sign();
    this.#deadlines.clear(`${QUESTION}${questionId}`);
  }

  askerBack(turnId: string): void {
    this.#deadlines.clear(`${GRACE}${turnId}`);
  }

  /** ACL9: somebody's right to be connected runs out then. */
  accessUntil(at: number): void {
    if (Number.isFinite(at)) this.#deadlines.setEarliest("access", at);
  }

  onAlarm(): void {
    for (const name of this.#deadlines.takeDue(this.#now())) this.#onDeadline(name);
    this.#deadlines.arm();
  }

  #onDeadline(name: string): void {
    if (name.startsWith(QUESTION)) return this.#onExpired(name.slice(QUESTION.length));
    if (name.startsWith(GRACE)) return this.#onGraceOver(name.slice(GRACE.length));
    if (name === "access") return this.accessUntil(this.#tools.ports.dismissExpired(this.#now()));
    if (name === "children") return this.#tools.ports.tellChildren();
    if (name === "hibernate") return this.#desk.hibernate();
    const turnId = this.#desk.activeTurnId;
    if (!turnId) return;
    if (name === "abort") this.#desk.cancel(turnId);
    else if (name === "runner-lost") {
      this.#desk.fail(turnId, "The runner went away and did not come back. Send the prompt again.");
    } else if (name === "no-runner") {
      metrics.count("adapter.ws.open_failures");
      this.#desk.fail(turnId, "No runner took this session. Is a runner host connected?");
    } else if (name === "idle") this.#onIdle(turnId);
  }

  /** Q4: from here on the agent has to go on by itself. */
  #onExpired(questionId: string): void {
    if (this.#desk.questions.expire(questionId)) this.sign();
  }

  /** TURN7. Signs of life only move a number in memory; the stored deadline is moved when it comes. */
  #onIdle(turnId: string): void {
    const { ports, store, runner } = this.#tools;
    const { idleMs } = ports.times;
    const waitsForPerson = store.questions.openOf(turnId).length > 0;
    const due = waitsForPerson ? this.#now() + idleMs : this.#lastSign + idleMs;
    if (due > this.#now()) return this.#deadlines.set("idle", due);
    runner.send({ type: "abort", turnId });
    this.#desk.fail(turnId, `The agent gave no sign of life for ${seconds(idleMs)} s, so the turn was ended.`);
  }

  /** DIS1, DIS4 */
  #onGraceOver(turnId: string): void {
    const turn = this.#tools.store.turns.get(turnId);
    if (!turn) return;
    const entry = { ts: this.#now(), userId: turn.prompt.userId, action: "left", detail: turnId };
    const events = [{ type: "audit_log" as const, entry }];
    if (turn.state === "active") this.#desk.apply({ type: "abort", turnId }, { events });
    if (turn.state !== "queued") return;
    const write = () => this.#tools.store.turns.setState(turnId, "withdrawn");
    this.#desk.apply({ type: "withdraw", turnId }, { events, write });
    this.#tools.journal.streams.fail(turnId, "This prompt was withdrawn before it ran.");
  }

  #now(): number {
    return this.#tools.ports.clock.now();
  }
}

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}
