import type { RunnerEvent } from "@agent-ops/shared/events";
import { type AssignCommand, CLOSE, type PromptCommand, type RunnerCommand } from "@agent-ops/shared/frames";
import { TurnError } from "./agent-client.ts";
import { AgentDesk, type AgentDeskOptions } from "./agent-desk.ts";
import type { Clock } from "./clock.ts";
import { describeError } from "./log.ts";
import { Outbox } from "./outbox.ts";
import { SessionLink } from "./session-link.ts";
import { Turns } from "./turns.ts";
import { unlessAborted } from "./until-aborted.ts";

const RESTARTED = "The runner restarted while the agent was working. Send the prompt again.";
const STOPPED = "The runner was stopped while the agent was working. Send the prompt again.";
const LEASE_RENEWED = "The runner lost touch with the session while the agent was working. Send the prompt again.";
const SET_BACK = "The server lost a part of what the agent had said. Send the prompt again.";
const DISK_FAILED = "The runner cannot write to its disk, so the agent was stopped.";
const LAST_WORDS_MS = 500;
/** A host that leaves waits this long for the session to say that it has stored everything. */
const ACKNOWLEDGED_MS = 2_000;
/** A session whose lease was lost may come back under a new one; its agent waits this long for it. */
const PARKED_MS = 30_000;

export interface SessionRunnerOptions extends Omit<AgentDeskOptions, "emit"> {
  epoch: number;
  /** The worker's address, `ws://` or `wss://`. */
  baseUrl: string;
  token: string;
  /** Tells the host apart from others with the same token. */
  hostName?: string | undefined;
  outboxPath: string;
  clock: Clock;
  /** Nothing is left to do here. */
  onEnd(why: "released" | "lease" | "gone"): void;
}

/** One session on this host: its agent, its outbox and its connection. */
export class SessionRunner {
  #options: SessionRunnerOptions;
  #outbox: Outbox;
  #turns: Turns;
  #link: SessionLink;
  #desk: AgentDesk;
  /** Parked it has no lease but still its agent; while it leaves it takes no prompt but brings to its end what runs. */
  #phase: "open" | "parked" | "leaving" | "ended" = "open";
  #cancelParking = () => {};
  #ending: Promise<void> | undefined;

  constructor(options: SessionRunnerOptions) {
    this.#options = options;
    this.#outbox = new Outbox(options.outboxPath, (error) => this.#diskFailed(error));
    this.#turns = new Turns({
      agent: (signal) => this.#desk.start(signal),
      emit: (event, signal) => this.#emit(event, signal),
      clock: options.clock,
    });
    this.#outbox.begin(options.epoch);
    this.#link = this.#openLink();
    this.#desk = new AgentDesk({ ...options, emit: (event) => this.#tell(event) });
  }

  get epoch(): number {
    return this.#outbox.epoch;
  }

  /** The pool gave this session to this host, again or under a new lease; says whether there is still time for that. */
  open(epoch: number): boolean {
    if (this.#phase === "ended") return false;
    if (epoch < this.epoch) this.#options.log.info("session.old_lease", { epoch });
    else if (this.#phase === "open" && epoch === this.epoch) this.#link.wake();
    else this.#reopen(epoch);
    return true;
  }

  #reopen(epoch: number): void {
    this.#cancelParking();
    this.#phase = "open";
    void this.#link.close(0);
    const { discarded } = this.#outbox.begin(epoch);
    this.#link = this.#openLink();
    // A turn whose events were lost with the older lease cannot go on as if nothing had happened.
    if (discarded) void this.#turns.fail(new TurnError(LEASE_RENEWED));
  }

  wake(): void {
    this.#link.wake();
  }

  /**
   * The host is going down. Until patience ends a turn may go on, and what was said may be acknowledged; after that the
   * turn is told as failed, if that still reaches the session. Says whether everything was acknowledged.
   */
  async leave(patience: AbortSignal): Promise<boolean> {
    this.#cancelParking();
    if (this.#phase === "ended") await this.#ending;
    this.#phase = "leaving";
    await unlessAborted(this.#turns.idle(), patience);
    const failing = this.#turns.fail(new TurnError(STOPPED));
    await this.#desk.dispose();
    await failing;
    await this.#acknowledged(patience);
    this.#phase = "ended";
    await this.#link.close(LAST_WORDS_MS, CLOSE.leaving);
    this.#outbox.close();
    return this.#outbox.isEmpty;
  }

  /** The session is no longer this host's, and nothing of what it says is wanted. */
  async drop(): Promise<void> {
    this.#cancelParking();
    if (this.#phase !== "ended") this.#ending = this.#end("lease");
    await this.#ending;
  }

  async #acknowledged(patience: AbortSignal): Promise<void> {
    const late = new AbortController();
    const cancel = this.#options.clock.after(ACKNOWLEDGED_MS, () => late.abort());
    await unlessAborted(this.#outbox.emptied(), AbortSignal.any([patience, late.signal]));
    cancel();
  }

  #openLink(): SessionLink {
    const { sessionId, baseUrl, hostName, token, clock, log } = this.#options;
    const { epoch } = this.#outbox;
    const name = hostName === undefined ? "" : `&name=${encodeURIComponent(hostName)}`;
    return new SessionLink({
      url: `${baseUrl}/api/runner/sessions/${sessionId}?epoch=${epoch}${name}`,
      token,
      outbox: this.#outbox,
      clock,
      log,
      onCommand: (command) => {
        if (epoch === this.epoch && (this.#phase === "open" || this.#phase === "leaving")) this.#take(command);
      },
      onSetBack: () => void this.#turns.fail(new TurnError(SET_BACK)),
      onLost: (why) => this.#lost(why),
    });
  }

  #take(command: Exclude<RunnerCommand, { type: "ack" }>): void {
    switch (command.type) {
      case "assign":
        return this.#assign(command);
      case "prompt":
        return this.#prompt(command);
      case "abort":
        return this.#turns.abort(command.turnId);
      case "answer":
        if (this.#turns.isOpen(command.turnId)) this.#desk.answer(command.questionId, command.answer);
        return;
      case "release":
        return this.#finish("released");
      case "refused":
        return this.#lost("lease");
      case "error":
        return this.#options.log.error("session.error", { message: command.message });
      case "diff":
        return void this.#desk.workspace.diff(command.requestId);
      case "review":
        return void this.#desk.workspace.review(command.requestId);
      case "pong":
        return;
      default:
        return command satisfies never;
    }
  }

  /** What the session believes to run here, and what does, are made to agree (RUN6). */
  #assign(command: AssignCommand): void {
    this.#desk.assigned = command;
    const { turnId } = command;
    this.#turns.stopAllBut(turnId);
    if (turnId === undefined || command.turnStarted === false || this.#turns.isOpen(turnId)) return;
    if (this.#outbox.holds(turnId) !== "end") this.#endLostTurn(turnId);
  }

  /** A prompt may come twice; the agent gets it once. */
  #prompt(command: PromptCommand): void {
    // The socket is about to close with the word that this was not taken.
    if (this.#phase === "leaving") return;
    const { turnId } = command;
    const held = this.#outbox.holds(turnId);
    if (this.#turns.isOpen(turnId) || held === "end") return;
    if (held === "events" || this.#turns.hadLast(turnId)) return this.#endLostTurn(turnId);
    this.#options.log.info("turn.started", { turnId });
    this.#turns.start(command);
  }

  #endLostTurn(turnId: string): void {
    this.#options.log.info("turn.lost", { turnId });
    this.#link.emit({ type: "message.finalize", turnId, reason: "error", error: RESTARTED });
  }

  #emit(event: RunnerEvent, signal: AbortSignal): Promise<void> | undefined {
    if (event.type === "message.finalize") {
      this.#options.log.info("turn.ended", { turnId: event.turnId, reason: event.reason });
    }
    this.#tell(event);
    if (event.type === "message.finalize") this.#desk.workspace.turnEnded(event.turnId);
    return this.#outbox.room(signal);
  }

  #tell(event: RunnerEvent): void {
    if (this.#phase === "open" || this.#phase === "leaving") this.#link.emit(event);
  }

  #diskFailed(error: unknown): void {
    this.#options.log.error("outbox.write_failed", { cause: describeError(error) });
    void this.#turns.fail(new TurnError(DISK_FAILED));
  }

  #lost(why: "gone" | "lease"): void {
    if (this.#phase === "leaving") this.#outbox.discard();
    if (this.#phase !== "open") return;
    this.#options.log.info("session.lost", { why });
    if (why === "lease") return this.#park();
    this.#finish("gone");
    this.#outbox.remove();
  }

  #park(): void {
    this.#phase = "parked";
    this.#turns.stopAllBut(undefined);
    void this.#link.close(LAST_WORDS_MS);
    this.#outbox.discard();
    this.#cancelParking = this.#options.clock.after(PARKED_MS, () => this.#finish("lease"));
  }

  #finish(why: "released" | "lease" | "gone"): void {
    this.#ending = this.#end(why);
  }

  /** Ends when no process of the agent is left, so that another can take its place. */
  async #end(why: "released" | "lease" | "gone"): Promise<void> {
    this.#phase = "ended";
    this.#turns.stopAllBut(undefined);
    void this.#link.close(LAST_WORDS_MS);
    this.#outbox.close();
    await this.#desk.dispose();
    this.#options.onEnd(why);
  }
}
