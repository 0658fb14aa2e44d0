import { AppError } from "@agent-ops/shared/errors";
import type { LogEvent, LogPayload, QueueItem, RunnerEvent } from "@agent-ops/shared/events";
import type { RunnerCommand } from "@agent-ops/shared/frames";
import type { Message } from "@agent-ops/shared/message-parts";
import type { QuestionResolution } from "@agent-ops/shared/questions";
import type { SessionStatus } from "@agent-ops/shared/sessions";
import { Deadlines } from "./deadlines.ts";
import type { Journal } from "./journal.ts";
import type { RoomPorts } from "./room-ports.ts";
import type { RunnerLink } from "./runner-link.ts";
import type { SessionStore, StoredTurn } from "./session-store.ts";
import {
  type ActiveTurn,
  IDLE,
  type Prompt,
  type TurnInput,
  type TurnOutput,
  type TurnState,
  transition,
} from "./turn-machine.ts";
import { promptMessage, TurnRecorder } from "./turn-recorder.ts";

/** What the desk works with: the rest of the room. */
export type DeskTools = {
  ports: RoomPorts;
  store: SessionStore;
  journal: Journal;
  runner: RunnerLink;
  setStatus(status: SessionStatus): void;
};

/** What is logged and written together with a change of the turns. */
export type Act = { events: LogPayload[]; write?: (events: LogEvent[]) => void };

/** Carries out what the turn machine decides: starts, stops and ends turns, and watches their deadlines. */
export class TurnDesk {
  readonly deadlines: Deadlines;
  #tools: DeskTools;
  #state: TurnState = IDLE;
  #recorder: TurnRecorder | undefined;
  #lastSign: number;

  constructor(tools: DeskTools) {
    this.#tools = tools;
    this.deadlines = new Deadlines(tools.ports.storage, tools.ports.setAlarm);
    this.#lastSign = tools.ports.clock.now();
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
    return this.#state.queue.map(({ id, turnId, userId, text }) => ({ promptId: id, turnId, userId, text }));
  }

  /** The agent showed that it is alive. */
  sign(): void {
    this.#lastSign = this.#now();
  }

  record(event: LogEvent): void {
    this.#recorder?.record(event);
    if (event.type === "message.create") {
      this.#state = transition(this.#state, { type: "created", turnId: String(event.turnId) }).state;
    }
  }

  /** Logs and stores `act`, changes the state, and does what follows from it; throws where the machine refuses. */
  apply(input: TurnInput, act: Act): void {
    const { state, outputs } = transition(this.#state, input);
    for (const output of outputs) if (output.type === "refuse") throw new AppError(output.code, output.message);
    this.#tools.journal.appendStored(act.events, act.write);
    this.#state = state;
    for (const output of outputs) this.#carryOut(output);
  }

  /** TURN3: the one place where a turn ends. `event` says how. */
  end(event: RunnerEvent): void {
    const recorder = this.#recorder;
    const turnId = this.activeTurnId;
    if (!recorder || !turnId) return;
    for (const { question, resolution } of this.#tools.store.questionsOf(turnId)) {
      if (!resolution) this.resolve(question.questionId, turnId, { outcome: "turn-ended" });
    }
    this.#recorder = undefined;
    this.deadlines.clearAll();
    this.apply(
      { type: "ended", turnId },
      {
        events: [event],
        write: (events) => {
          for (const logged of events) recorder.record(logged);
          this.#tools.store.setTurnState(turnId, "ended");
          this.#tools.store.addMessage(recorder.message);
        },
      },
    );
    if (!this.active) this.#setStatus("ready");
  }

  resolve(questionId: string, turnId: string, resolution: QuestionResolution): void {
    const { journal, store } = this.#tools;
    journal.appendStored([{ type: "question.resolved", questionId, turnId, ...resolution }], () =>
      store.resolveQuestion(questionId, resolution),
    );
  }

  /** What a runner must know when its socket opens; RUN2 and RUN6. */
  openingCommands(): RunnerCommand[] {
    const { active } = this;
    if (!active) return [];
    const { turnId } = active.prompt;
    const commands: RunnerCommand[] = active.phase === "starting" ? [promptCommand(active.prompt)] : [];
    for (const { question, resolution } of this.#tools.store.questionsOf(turnId)) {
      if (!resolution?.answer) continue;
      commands.push({ type: "answer", turnId, questionId: question.questionId, answer: resolution.answer });
    }
    if (active.phase === "stopping") commands.push({ type: "abort", turnId });
    return commands;
  }

  /** Takes up what an earlier life of the actor left open. */
  restore(open: readonly StoredTurn[]): void {
    const queue = open.filter((turn) => turn.state === "queued").map((turn) => turn.prompt);
    const running = open.find((turn) => turn.state !== "queued");
    if (running?.startSeq === undefined) return;
    const { prompt, startSeq } = running;
    this.#state = { active: { prompt, phase: "starting" }, queue };
    this.#recorder = new TurnRecorder(prompt, prompt.createdAt);
    this.#tools.journal.streams.begin(prompt.turnId, startSeq);
    this.#replay(startSeq);
    if (running.state === "stopping") this.#state = transition(this.#state, { type: "abort" }).state;
    this.deadlines.arm();
  }

  runnerGone(): void {
    if (this.active) this.deadlines.set("runner-lost", this.#now() + this.#tools.ports.times.runnerLostMs);
  }

  runnerBack(): void {
    this.deadlines.clear("runner-lost");
    this.deadlines.clear("no-runner");
  }

  onAlarm(): void {
    for (const name of this.deadlines.takeDue(this.#now())) this.#onDeadline(name);
    this.deadlines.arm();
  }

  #carryOut(output: TurnOutput): void {
    switch (output.type) {
      case "start":
        return this.#start(output.prompt);
      case "queue-changed":
        return this.#tools.journal.appendStored([{ type: "queue.state", items: this.queue }]);
      case "stop":
        return this.#stop(output.turnId);
      case "refuse":
        return;
      default:
        return output satisfies never;
    }
  }

  #start(prompt: Prompt): void {
    const { ports, journal, store, runner } = this.#tools;
    const { turnId } = prompt;
    const startSeq = journal.log.lastSeq;
    const opening = promptMessage(prompt);
    this.sign();
    this.#recorder = new TurnRecorder(prompt, this.#now());
    journal.streams.begin(turnId, startSeq);
    journal.appendStored([{ type: "message", message: opening }], () => {
      store.startTurn(turnId, startSeq);
      store.addMessage(opening);
    });
    this.#setStatus("running");
    this.deadlines.set("idle", this.#now() + ports.times.idleMs);
    if (!runner.send(promptCommand(prompt))) this.#callRunner();
  }

  #stop(turnId: string): void {
    const { ports, store, runner } = this.#tools;
    store.setTurnState(turnId, "stopping");
    if (runner.send({ type: "abort", turnId })) this.deadlines.set("abort", this.#now() + ports.times.abortMs);
    else this.end({ type: "message.finalize", turnId, reason: "canceled" });
  }

  #callRunner(): void {
    const { ports, store, runner } = this.#tools;
    const lease = runner.renew();
    store.saveLease(lease);
    this.deadlines.set("no-runner", this.#now() + ports.times.noRunnerMs);
    ports.requestRunner(lease.epoch);
  }

  #replay(startSeq: number): void {
    const { log, streams } = this.#tools.journal;
    for (let page = log.readAfter(startSeq); page.length > 0; page = log.readAfter(page.at(-1)?.event.seq ?? 0)) {
      for (const { event } of page) {
        this.record(event);
        streams.push(event);
      }
    }
    streams.flush();
  }

  #onDeadline(name: string): void {
    const turnId = this.activeTurnId;
    if (!turnId) return;
    if (name === "abort") this.end({ type: "message.finalize", turnId, reason: "canceled" });
    else if (name === "runner-lost")
      this.#fail(turnId, "The runner went away and did not come back. Send the prompt again.");
    else if (name === "no-runner") this.#fail(turnId, "No runner took this session. Is a runner host connected?");
    else if (name === "idle") this.#onIdle(turnId);
  }

  /** TURN7. Signs of life only move a number in memory; the stored deadline is moved when it comes. */
  #onIdle(turnId: string): void {
    const { ports, store, runner } = this.#tools;
    const { idleMs } = ports.times;
    const waitsForPerson = store.questionsOf(turnId).some((asked) => !asked.resolution);
    const due = waitsForPerson ? this.#now() + idleMs : this.#lastSign + idleMs;
    if (due > this.#now()) return this.deadlines.set("idle", due);
    runner.send({ type: "abort", turnId });
    this.#fail(turnId, `The agent gave no sign of life for ${Math.round(idleMs / 1000)} s, so the turn was ended.`);
  }

  #fail(turnId: string, error: string): void {
    this.end({ type: "message.finalize", turnId, reason: "error", error });
  }

  #setStatus(status: SessionStatus): void {
    this.#tools.setStatus(status);
    this.#tools.journal.appendStored([{ type: "status", status }]);
  }

  #now(): number {
    return this.#tools.ports.clock.now();
  }
}

function promptCommand(prompt: Prompt): RunnerCommand {
  const { turnId, userId, text, attachments, channel, model } = prompt;
  return { type: "prompt", turnId, userId, text, attachments, channel, model };
}
