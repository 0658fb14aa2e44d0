import { AppError } from "@agent-ops/shared/errors";
import type { LogEvent, LogPayload, QueueItem, RunnerEvent } from "@agent-ops/shared/events";
import type { RunnerCommand } from "@agent-ops/shared/frames";
import type { Message } from "@agent-ops/shared/message-parts";
import type { SessionStatus } from "@agent-ops/shared/sessions";
import { metrics } from "../../lib/metrics.ts";
import { ChatPlaces } from "./chat-places.ts";
import type { DeskTools, TurnAct } from "./desk-tools.ts";
import { Handover } from "./handover.ts";
import { HistoryReads } from "./history-reads.ts";
import { QuestionDesk } from "./question-desk.ts";
import { TurnClock } from "./turn-clock.ts";
import {
  type ActiveTurn,
  IDLE,
  type Prompt,
  type TurnInput,
  type TurnOutput,
  type TurnState,
  transition,
} from "./turn-machine.ts";
import { openHistory, queueItem, StartBell } from "./turn-opening.ts";
import { TurnRecorder } from "./turn-recorder.ts";
import { afterEvent, restoreTurns } from "./turn-restore.ts";
import type { StoredTurn } from "./turn-table.ts";

/** Carries out what the turn machine decides: starts, stops and ends turns. */
export class TurnDesk {
  readonly clock: TurnClock;
  readonly questions: QuestionDesk;
  readonly reads: HistoryReads;
  readonly places: ChatPlaces;
  #tools: DeskTools;
  #state: TurnState = IDLE;
  #recorder: TurnRecorder | undefined;
  #bell = new StartBell();
  #handover: Handover;

  constructor(tools: DeskTools) {
    this.#tools = tools;
    this.clock = new TurnClock(tools, this);
    this.questions = new QuestionDesk(tools, () => this.#bell.ring());
    this.places = new ChatPlaces(tools.ports);
    this.reads = new HistoryReads(tools.ports);
    this.#handover = new Handover(tools.options, tools.store.messages);
    this.#countQueue();
  }

  get active(): ActiveTurn | null {
    return this.#state.active;
  }

  get activeTurnId(): string | undefined {
    return this.#state.active?.prompt.turnId;
  }

  /** The active turn's message so far. */
  get message(): Message | undefined {
    return this.#recorder?.message;
  }

  get toolAtWork(): boolean {
    return this.#recorder?.toolAtWork ?? false;
  }

  get queue(): QueueItem[] {
    return this.#state.queue.map(queueItem);
  }

  record(event: LogEvent): void {
    this.#recorder?.record(event);
    this.#state = afterEvent(this.#state, event);
    if (event.type === "message.create") this.#handover.forget(this.#state);
  }

  /** Logs and stores `act`, changes the state, and does what follows from it; throws where the machine refuses. */
  apply(input: TurnInput, act: TurnAct): void {
    const { state, outputs } = transition(this.#state, input);
    for (const output of outputs) if (output.type === "refuse") throw new AppError(output.code, output.message);
    this.#tools.journal.appendStored(act.events, act.write);
    this.#state = state;
    if (input.type === "prompt" && act.apiKey !== undefined) this.#handover.hold(input.prompt.turnId, act.apiKey);
    this.#handover.forget(this.#state);
    this.#countQueue();
    for (const output of outputs) this.#carryOut(output);
  }

  /** TURN3: the one place where a turn ends. `event` says how. */
  end(event: RunnerEvent): void {
    const { store } = this.#tools;
    const recorder = this.#recorder;
    const turnId = this.activeTurnId;
    if (!recorder || !turnId) return;
    const closing = this.questions.closing(turnId);
    this.#recorder = undefined;
    this.clock.ended(turnId);
    this.reads.turnEnded(turnId);
    metrics.count("turns.ended");
    const write = (events: LogEvent[]) => {
      closing.write();
      for (const logged of events) recorder.record(logged);
      store.turns.setState(turnId, "ended");
      store.messages.add(recorder.message);
    };
    this.apply({ type: "ended", turnId }, { events: [...closing.events, event], write });
    this.#bell.ring();
    if (this.active) return;
    this.#setStatus("ready");
    this.clock.resting();
    this.#tools.journal.compact(store.turns.get(turnId)?.startSeq ?? 0);
  }

  /** LIFE1: the runner and its agent go; the next prompt calls them back. */
  hibernate(): void {
    if (this.active || this.#tools.store.record().status !== "ready") return;
    this.#tools.runner.release();
    this.#setStatus("hibernated");
  }

  /** LIFE2: whatever runs or waits is over, and nothing can be asked any more. */
  terminate(events: LogPayload[]): void {
    const { journal, runner, store } = this.#tools;
    for (const { turnId } of this.#state.queue) {
      const write = () => store.turns.setState(turnId, "withdrawn");
      this.apply({ type: "withdraw", turnId }, { events: [], write });
      journal.streams.fail(turnId, "The session was terminated.");
    }
    if (this.activeTurnId) this.cancel(this.activeTurnId);
    journal.appendStored(events);
    runner.release();
    this.#setStatus("terminated");
    this.clock.terminated();
  }

  /** Nothing waits in a session that is no more. */
  close(): void {
    this.#countQueue(0);
    this.#bell.ring();
  }

  /** The session itself gives the turn up. */
  fail(turnId: string, error: string): void {
    metrics.count("adapter.stream.aborts.server");
    this.end({ type: "message.finalize", turnId, reason: "error", error });
  }

  cancel(turnId: string): void {
    this.end({ type: "message.finalize", turnId, reason: "canceled" });
  }

  /** A page of this person has the history up to now. */
  historyRead(user: string): void {
    this.reads.read(user, this.activeTurnId);
    this.places.forget(user);
  }

  /** Until a turn begins, ends or goes on after an answer, or the time is over. */
  nextNews(ms: number): Promise<void> {
    return this.#bell.wait(this.#tools.ports.clock, ms);
  }

  /** Whether a turn waits for people. */
  rests(turnId: string): boolean {
    return this.#tools.store.questions.openOf(turnId).length > 0;
  }

  /** The runner goes down and says that it took nothing that it has not told of: a prompt it did not take moves on. */
  runnerLeft(): void {
    if (this.active && !this.active.created) this.#callRunner();
    else this.clock.runnerGone();
  }

  /** Its host is given up. A prompt that no runner was ever there for moves on; nobody knows how far another one got. */
  runnerLost(): void {
    const turnId = this.activeTurnId;
    if (!turnId) return;
    if (this.clock.waitsForRunner) return this.#callRunner();
    this.fail(turnId, "The runner host went away while the agent was working. Send the prompt again.");
  }

  /** What a runner must know when its socket opens; RUN2 and RUN6. */
  openingCommands(): RunnerCommand[] {
    const { active } = this;
    if (!active) return [];
    const { turnId } = active.prompt;
    const commands: RunnerCommand[] = !active.created ? [this.#handover.command(active.prompt)] : [];
    commands.push(...this.questions.answersOf(turnId));
    if (active.phase === "stopping") commands.push({ type: "abort", turnId });
    return commands;
  }

  /** Takes up what an earlier life of the actor left open. */
  restore(open: readonly StoredTurn[]): void {
    const restored = restoreTurns(open, this.#tools.journal.log);
    if (!restored) return;
    this.#state = restored.state;
    this.#recorder = restored.recorder;
    this.#countQueue();
    this.clock.restored();
  }

  tellQueue(): void {
    const { streams } = this.#tools.journal;
    for (const [index, { turnId }] of this.#state.queue.entries()) streams.tellQueue(turnId, index + 1);
  }

  #carryOut(output: TurnOutput): void {
    switch (output.type) {
      case "start":
        return this.#start(output.prompt);
      case "queue-changed":
        this.#tools.journal.appendStored([{ type: "queue.state", items: this.queue }]);
        return this.tellQueue();
      case "stop":
        return this.#stop(output.turnId);
      case "refuse":
        return;
      default:
        return output satisfies never;
    }
  }

  #start(prompt: Prompt): void {
    const { journal, store, runner } = this.#tools;
    const { turnId } = prompt;
    const startSeq = journal.log.lastSeq;
    this.#recorder = new TurnRecorder(prompt, this.#tools.ports.clock.now());
    journal.streams.begin(turnId, startSeq);
    journal.appendStored(openHistory(store.messages, prompt), () => store.turns.start(turnId, startSeq));
    this.#setStatus("running");
    this.clock.started();
    metrics.count("turns.started");
    if (!runner.send(this.#handover.command(prompt))) this.#callRunner();
    this.#bell.ring();
  }

  #stop(turnId: string): void {
    const { store, runner } = this.#tools;
    store.turns.setState(turnId, "stopping");
    // Readers may have seen more than is stored, and only the runner that is away for a moment has it.
    if (runner.send({ type: "abort", turnId }) || this.clock.missesRunner) this.clock.stopping();
    else this.cancel(turnId);
  }

  #callRunner(): void {
    const { ports, store, runner } = this.#tools;
    const lease = runner.renew();
    store.saveLease(lease);
    this.clock.runnerCalled();
    ports.requestRunner(lease.epoch);
  }

  /** MET1: each session says how many wait in it, so that another life of its actor says it anew. */
  #countQueue(waiting = this.#state.queue.length): void {
    metrics.hold("queue.length", this.#tools.sessionId, waiting);
  }

  #setStatus(status: SessionStatus): void {
    this.#tools.setStatus(status);
    this.#tools.journal.appendStored([{ type: "status", status }]);
  }
}
