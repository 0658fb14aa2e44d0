import { AppError } from "@agent-ops/shared/errors";
import type { LogPayload, RunnerEvent, UnknownEvent } from "@agent-ops/shared/events";
import { type PromptInput, parseRunnerEvent } from "@agent-ops/shared/frames";
import { LIMITS } from "@agent-ops/shared/limits";
import { type Answer, parseAnswer, type QuestionResolution } from "@agent-ops/shared/questions";
import type { Role, SessionView } from "@agent-ops/shared/sessions";
import { Journal } from "./journal.ts";
import type { RoomPorts } from "./room-ports.ts";
import { RunnerLink, type RunnerSocket } from "./runner-link.ts";
import { type SessionRecord, SessionStore, type StoredTurn } from "./session-store.ts";
import { TurnDesk } from "./turn-desk.ts";
import { admit, type Prompt } from "./turn-machine.ts";

/** One session: what people and the runner may do to it. Everything here happens in one thread, in order. */
export class SessionRoom {
  readonly store: SessionStore;
  readonly journal: Journal;
  readonly turns: TurnDesk;
  #ports: RoomPorts;
  #runner: RunnerLink;
  #record: SessionRecord;

  constructor(ports: RoomPorts) {
    this.#ports = ports;
    this.store = new SessionStore(ports.storage);
    this.#record = this.store.record();
    this.#runner = new RunnerLink(this.store.lease());
    this.journal = new Journal(ports, this.store, this.#runner);
    const { store, journal } = this;
    const setStatus = (status: SessionRecord["status"]) => this.#saveRecord({ status });
    this.turns = new TurnDesk({ ports, store, journal, runner: this.#runner, setStatus });
    this.turns.restore(this.store.openTurns());
  }

  get record(): SessionRecord {
    return this.#record;
  }

  /** ACL2: the role, or the answer of a session that does not exist. */
  roleOf(user: string): Role {
    const role = this.store.roleOf(user);
    if (!role) throw new AppError("not_found", "There is no such session.");
    return role;
  }

  view(user: string): SessionView {
    const { id, agent, title, status, createdAt } = this.#record;
    return { id, agent, title, status, createdAt, role: this.roleOf(user) };
  }

  /** TURN2: the same prompt twice is one turn. */
  prompt(user: string, input: PromptInput): { turnId: string; queued: boolean } {
    checkPrompt(input);
    const known = this.store.turnOfPrompt(input.id);
    if (known) return join(known, input);
    const prompt: Prompt = { ...input, turnId: this.#ports.newId(), userId: user, createdAt: this.#ports.clock.now() };
    const act = { events: [this.#audit(user, "prompt", prompt.turnId)], write: () => this.store.addTurn(prompt) };
    this.turns.apply({ type: "prompt", prompt }, act);
    return { turnId: prompt.turnId, queued: this.turns.activeTurnId !== prompt.turnId };
  }

  /** The prompt's own turn as an AI SDK stream: now, or as soon as it is its turn. */
  chat(user: string, input: PromptInput): Response {
    const { turnId } = this.prompt(user, input);
    const turn = this.store.turn(turnId);
    if (turn?.state === "withdrawn")
      throw new AppError("conflict", "This prompt was withdrawn. Send it with a new id.");
    return this.journal.streams.open({ turnId, startSeq: turn?.startSeq });
  }

  /** SSE6: the active turn from its start. */
  resume(): Response | undefined {
    const turnId = this.turns.activeTurnId;
    if (turnId === undefined) return undefined;
    return this.journal.streams.open({ turnId, startSeq: this.store.turn(turnId)?.startSeq });
  }

  abort(user: string, turnId?: string): void {
    const events = [this.#audit(user, "abort", turnId ?? this.turns.activeTurnId)];
    this.turns.apply({ type: "abort", turnId }, { events });
  }

  withdraw(user: string, promptId: string): void {
    const turnId = this.store.turnOfPrompt(promptId)?.prompt.turnId;
    const write = () => turnId && this.store.setTurnState(turnId, "withdrawn");
    this.turns.apply({ type: "withdraw", promptId }, { events: [this.#audit(user, "withdraw", turnId)], write });
    if (turnId) this.journal.streams.fail(turnId, "This prompt was withdrawn before it ran.");
  }

  /** Q1 to Q3. */
  answer(user: string, questionId: string, raw: unknown): Answer {
    const found = this.store.question(questionId);
    if (!found) throw new AppError("not_found", "There is no such question.");
    if (found.resolution) throw new AppError("already_answered", describe(found.resolution));
    const answer = parseAnswer(found.question, raw);
    if (!answer) throw new AppError("bad_answer", `That does not answer a question of kind "${found.question.kind}".`);
    const { turnId } = found.question;
    this.turns.resolve(questionId, turnId, { outcome: "answered", answer, by: user });
    this.journal.appendStored([this.#audit(user, "answer", questionId)]);
    this.#runner.send({ type: "answer", turnId, questionId, answer });
    this.turns.sign();
    return answer;
  }

  rename(user: string, title: string): void {
    const trimmed = title.trim();
    if (trimmed === "" || trimmed.length > LIMITS.titleChars) {
      throw new AppError("bad_request", `A title has 1 to ${LIMITS.titleChars} characters.`);
    }
    const events: LogPayload[] = [{ type: "title", title: trimmed }, this.#audit(user, "rename", trimmed)];
    this.journal.appendStored(events, () => this.#saveRecord({ title: trimmed }));
  }

  /** The end of the session: whoever is connected is told, and nothing is written any more. */
  close(): void {
    this.#runner.send({ type: "release" });
    this.journal.close("The session was deleted.");
  }

  runnerConnected(socket: RunnerSocket, epoch: number): void {
    if (!this.#runner.connect(socket, epoch)) return;
    this.turns.runnerBack();
    const { id, agent, workspace, agentSessionId } = this.#record;
    const { active } = this.turns;
    const turn = active ? { turnId: active.prompt.turnId, turnStarted: active.phase !== "starting" } : {};
    this.#runner.send(
      { type: "assign", sessionId: id, epoch, agent, workspace, agentSessionId, ...turn },
      { type: "ack", seq: this.store.lease().seq },
      ...this.turns.openingCommands(),
    );
  }

  /** A socket that outlived the actor's memory. */
  runnerRestored(socket: RunnerSocket): void {
    this.#runner.restore(socket);
  }

  runnerGone(socket: RunnerSocket): void {
    if (!this.#runner.isCurrent(socket)) return;
    this.#runner.disconnect();
    this.turns.runnerGone();
  }

  runnerFrame(socket: RunnerSocket, raw: unknown): void {
    if (!this.#runner.isCurrent(socket)) return;
    if (isPing(raw)) {
      this.#runner.send({ type: "pong" });
      if (this.turns.toolAtWork) this.turns.sign();
      return;
    }
    const events = this.#runner.receive(raw, this.store.lease().seq);
    for (const event of events) this.#onRunnerEvent(event);
    this.journal.settle();
  }

  #onRunnerEvent(raw: UnknownEvent): void {
    const parsed = parseRunnerEvent(raw);
    if (parsed.kind === "invalid") {
      this.#runner.send({ type: "error", message: parsed.message });
      return;
    }
    this.turns.sign();
    if (parsed.kind === "unknown") this.journal.appendLive(parsed.event);
    else this.#onKnownEvent(parsed.event);
  }

  #onKnownEvent(event: RunnerEvent): void {
    const verdict = admit(this.turns.active, event);
    if (verdict === "drop") return;
    if (verdict === "end") return this.turns.end(withTurn(event, this.turns.activeTurnId));
    if (event.type === "question") {
      this.journal.appendStored([event], ([logged]) => {
        if (logged) this.turns.record(logged);
        this.store.addQuestion(event);
      });
    } else if (event.type === "title") {
      this.journal.appendStored([event], () => this.#saveRecord({ title: event.title }));
    } else {
      this.turns.record(this.journal.appendLive(event));
    }
    if (event.type === "message.create" && event.agentSessionId) this.#keepAgentSession(event.agentSessionId);
  }

  #keepAgentSession(agentSessionId: string): void {
    if (agentSessionId !== this.#record.agentSessionId) this.#saveRecord({ agentSessionId });
  }

  #audit(userId: string, action: string, detail: string | undefined): LogPayload {
    const entry = { ts: this.#ports.clock.now(), userId, action, ...(detail === undefined ? {} : { detail }) };
    return { type: "audit_log", entry };
  }

  #saveRecord(change: Partial<SessionRecord>): void {
    this.#record = { ...this.#record, ...change };
    this.store.saveRecord(this.#record);
    this.#ports.changed(this.#record);
  }
}

function checkPrompt(input: PromptInput): void {
  if (input.text.trim() === "" && !input.attachments?.length) {
    throw new AppError("empty_prompt", "The prompt is empty. Write something for the agent.");
  }
  if (input.text.length > LIMITS.promptChars) {
    throw new AppError("too_large", `A prompt has at most ${LIMITS.promptChars} characters.`);
  }
}

function join(known: StoredTurn, input: PromptInput): { turnId: string; queued: boolean } {
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  const { text, attachments, channel } = known.prompt;
  if (!same([text, attachments, channel], [input.text, input.attachments, input.channel])) {
    throw new AppError("conflict", "This prompt id was used for another prompt. Choose a new id.");
  }
  return { turnId: known.prompt.turnId, queued: known.state === "queued" };
}

function describe(resolution: QuestionResolution): string {
  if (resolution.outcome === "answered") {
    return `${resolution.by ?? "Somebody"} has already answered: ${JSON.stringify(resolution.answer)}`;
  }
  return resolution.outcome === "expired" ? "The question has expired." : "The turn that asked has ended.";
}

/** `complete` may leave out which turn it means; the log does not. */
function withTurn(event: RunnerEvent, turnId: string | undefined): RunnerEvent {
  return event.type === "complete" && turnId !== undefined ? { ...event, turnId } : event;
}

function isPing(raw: unknown): boolean {
  return typeof raw === "object" && raw !== null && "type" in raw && raw.type === "ping";
}
