import { type AgentOptions, withUsual } from "@agent-ops/shared/agent-options";
import { AppError } from "@agent-ops/shared/errors";
import type { LogPayload } from "@agent-ops/shared/events";
import type { PromptInput } from "@agent-ops/shared/frames";
import { LIMITS } from "@agent-ops/shared/limits";
import type { Answer } from "@agent-ops/shared/questions";
import type { Role, SessionView } from "@agent-ops/shared/sessions";
import { Askers } from "./askers.ts";
import { auditEvent } from "./audit.ts";
import { ChildNews } from "./child-news.ts";
import { Doorkeeper } from "./doorkeeper.ts";
import { Family } from "./family.ts";
import { Journal } from "./journal.ts";
import { Membership } from "./membership.ts";
import { checkPrompt } from "./prompt-check.ts";
import type { RoomPorts } from "./room-ports.ts";
import { RunnerDesk } from "./runner-desk.ts";
import { RunnerLink } from "./runner-link.ts";
import { RunnerRequests } from "./runner-requests.ts";
import { type SessionRecord, SessionStore } from "./session-store.ts";
import type { ReaderSocket } from "./socket-readers.ts";
import { TurnDesk } from "./turn-desk.ts";
import type { Prompt } from "./turn-machine.ts";
import type { StoredTurn } from "./turn-table.ts";
import { Turnstile } from "./turnstile.ts";

/** How a prompt over HTTP differs from one over the socket, and the key that came with it. */
type AskOptions = Pick<Prompt, "onDisconnect" | "replaces"> & { apiKey?: string | undefined };
type AgainOptions = Pick<AskOptions, "apiKey"> & {
  onDisconnect: "abort" | "detach";
  agent?: AgentOptions | undefined;
};

/** One session: what people and the runner may do to it. Everything here happens in one thread, in order. */
export class SessionRoom {
  readonly store: SessionStore;
  readonly journal: Journal;
  readonly turns: TurnDesk;
  readonly askers: Askers;
  readonly runner: RunnerDesk;
  readonly door: Doorkeeper;
  readonly turnstile: Turnstile;
  readonly people: Membership;
  readonly news: ChildNews;
  readonly family: Family;
  readonly requests: RunnerRequests;
  #ports: RoomPorts;
  #link: RunnerLink;
  #record: SessionRecord;
  #isClosed = false;

  constructor(ports: RoomPorts) {
    this.#ports = ports;
    this.store = new SessionStore(ports.storage);
    this.#record = this.store.record();
    this.turnstile = new Turnstile(ports);
    this.door = new Doorkeeper({ store: this.store, sessionId: this.#record.id, now: () => ports.clock.now() });
    this.#link = new RunnerLink(this.store.lease());
    this.journal = new Journal(ports, this.store, this.#link);
    const { store, journal } = this;
    const setStatus = (status: SessionRecord["status"]) => this.#saveRecord({ status });
    const options = () => this.#record;
    const { id: sessionId } = this.#record;
    this.turns = new TurnDesk({ sessionId, ports, store, journal, runner: this.#link, setStatus, options });
    this.askers = new Askers(store, this.turns.clock);
    this.news = new ChildNews(ports, store);
    const { news } = this;
    this.people = new Membership({ ports, store, journal, news, record: () => this.#record });
    this.family = new Family({ ports, store, journal, news });
    this.requests = new RunnerRequests({ store, journal, link: this.#link });
    this.runner = new RunnerDesk({
      store,
      journal,
      turns: this.turns,
      link: this.#link,
      family: this.family,
      requests: this.requests,
      record: () => this.#record,
      saveRecord: (change) => this.#saveRecord(change),
      note: (user, action, detail) => this.note(user, action, detail),
    });
    this.turns.restore(this.store.turns.open());
  }

  get record(): SessionRecord {
    return this.#record;
  }

  now(): number {
    return this.#ports.clock.now();
  }

  /** Whoever waited meanwhile finds out whether the session is still there. */
  requireOpen(): void {
    if (this.#isClosed) throw new AppError("not_found", "There is no such session.");
  }

  /** ACL2: the role, or the answer of a session that does not exist. */
  roleOf(user: string): Role {
    const role = this.store.roleOf(user);
    if (!role) throw new AppError("not_found", "There is no such session.");
    return role;
  }

  view(user: string): SessionView {
    const { id, agent, title, status, createdAt, parentId, orchestrator } = this.#record;
    const kind = { ...(parentId ? { parentId } : {}), ...(orchestrator ? { orchestrator } : {}) };
    return { id, agent, title, status, createdAt, ...kind, role: this.roleOf(user) };
  }

  /** TURN2, TURN9: the same prompt twice is one turn, and so is the same edit where nothing came after it. */
  prompt(user: string, input: PromptInput, { apiKey, ...ask }: AskOptions = {}): { turnId: string; queued: boolean } {
    checkPrompt(input);
    this.#requireLife();
    const known = this.store.turns.ofPrompt(input.id);
    if (known?.state === "withdrawn") {
      throw new AppError("conflict", "This prompt was withdrawn. Send it with a new id.");
    }
    const done = known && isSame(known, input) && (!ask.replaces || this.#isLatestEdit(known));
    if (done) return { turnId: known.prompt.turnId, queued: known.state === "queued" };
    if (known && !ask.replaces) {
      throw new AppError("conflict", "This prompt id was used for another prompt. Choose a new id.");
    }
    return this.#begin({ ...input, ...ask, ...this.#signature(user) }, apiKey);
  }

  /** TURN9: the same prompt as a new turn; the answers it had leave the history. */
  promptAgain(user: string, prompt: Prompt, { onDisconnect, agent = {}, apiKey }: AgainOptions): string {
    this.#requireLife();
    const { id, text, attachments, channel } = prompt;
    const replaces = { messageId: id, itself: false };
    const input = { id, text, attachments, channel, trigger: "regenerate" as const, onDisconnect, replaces };
    return this.#begin({ ...input, ...withUsual(agent, prompt), ...this.#signature(user) }, apiKey).turnId;
  }

  abort(user: string, turnId?: string): void {
    const events = [this.#audit(user, "abort", turnId ?? this.turns.activeTurnId)];
    this.turns.apply({ type: "abort", turnId }, { events });
  }

  withdraw(user: string, promptId: string): void {
    const turnId = this.turns.queue.find((item) => item.promptId === promptId)?.turnId;
    if (turnId === undefined) throw new AppError("not_found", "That prompt is not waiting.");
    const write = () => this.store.turns.setState(turnId, "withdrawn");
    this.turns.apply({ type: "withdraw", turnId }, { events: [this.#audit(user, "withdraw", turnId)], write });
    this.journal.streams.fail(turnId, "This prompt was withdrawn before it ran.");
  }

  /** Q2, Q3 */
  answer(user: string, questionId: string, raw: unknown): Answer {
    const answer = this.turns.questions.answer(user, questionId, raw);
    this.turns.clock.answered(questionId);
    return answer;
  }

  /** An answer that did not come over a V2 socket: whom another was faster than hears of it on those they have. */
  answerElsewhere(user: string, questionId: string, raw: unknown): Answer {
    const by = this.store.questions.get(questionId)?.resolution?.by;
    if (by !== undefined && by !== user) {
      const message = `${by} answered before you did.`;
      this.journal.readers.tellUser(user, { type: "toast", level: "warning", message });
    }
    return this.answer(user, questionId, raw);
  }

  /** Asks the runner about the workspace; a review is an act of its own, and kept for the record. */
  inspect(user: string, type: "diff" | "review", asker: { requestId: string; socket: ReaderSocket }): void {
    this.requests.ask(type, asker.requestId, asker.socket);
    if (type === "review") this.note(user, "review", asker.requestId);
  }

  rename(user: string, title: string): void {
    const trimmed = title.trim();
    if (trimmed === "" || trimmed.length > LIMITS.titleChars) {
      throw new AppError("bad_request", `A title has 1 to ${LIMITS.titleChars} characters.`);
    }
    const events: LogPayload[] = [{ type: "title", title: trimmed }, this.#audit(user, "rename", trimmed)];
    this.journal.appendStored(events, () => this.#saveRecord({ title: trimmed, titledByPerson: true }));
    this.#ports.changed("person");
  }

  setOnDisconnect(user: string, onDisconnect: "abort" | "detach"): void {
    this.journal.appendStored([this.#audit(user, "on-disconnect", onDisconnect)], () =>
      this.#saveRecord({ onDisconnect }),
    );
  }

  /** LIFE4: the session that it was made from is gone. */
  orphan(): void {
    const { parentId: _, ...record } = this.#record;
    this.#record = record;
    this.#saveRecord({});
  }

  /** TOOL3: on whose behalf the agent may make a session: of the person who asked for what it is doing. */
  asker(): { user: string; agent: string } {
    const { active } = this.turns;
    if (!active) throw new AppError("conflict", "The agent is not working on anything.");
    if (this.record.parentId) throw new AppError("forbidden", "A child session cannot make sessions.");
    return { user: active.prompt.userId, agent: this.record.agent };
  }

  /** LIFE2 */
  terminate(user: string): void {
    this.#requireLife();
    this.turns.terminate([this.#audit(user, "terminate", undefined)]);
  }

  /** For the record: an act that changes nothing else here. */
  note(user: string, action: string, detail: string): void {
    this.journal.appendStored([this.#audit(user, action, detail)]);
  }

  /** The end of the session: whoever is connected is told, and nothing is written any more. */
  close(): void {
    this.#isClosed = true;
    this.#link.send({ type: "release" });
    this.turns.close();
    this.journal.close("The session was deleted.");
  }

  /** A timer as a promise. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#ports.clock.after(ms, resolve));
  }

  #isLatestEdit({ prompt }: StoredTurn): boolean {
    return prompt.replaces?.itself === true && this.store.turns.last()?.prompt.turnId === prompt.turnId;
  }

  #signature(user: string): { turnId: string; userId: string; createdAt: number } {
    return { turnId: this.#ports.newId(), userId: user, createdAt: this.#ports.clock.now() };
  }

  #begin(input: Prompt, apiKey: string | undefined): { turnId: string; queued: boolean } {
    const prompt = apiKey === undefined ? input : { ...input, withKey: true };
    const { turnId, userId } = prompt;
    const write = () => this.store.turns.add(prompt);
    this.turns.apply({ type: "prompt", prompt }, { events: [this.#audit(userId, "prompt", turnId)], write, apiKey });
    return { turnId, queued: this.turns.activeTurnId !== turnId };
  }

  #requireLife(): void {
    if (this.#record.status === "terminated") throw new AppError("conflict", "The session was terminated.");
  }

  #audit(userId: string, action: string, detail: string | undefined): LogPayload {
    return auditEvent(this.#ports.clock.now(), { userId, action, detail });
  }

  #saveRecord(change: Partial<SessionRecord>): void {
    const { runs = 0 } = this.#record;
    this.#record = { ...this.#record, ...change, runs: change.status === "running" ? runs + 1 : runs };
    this.store.saveRecord(this.#record);
    this.#ports.changed("turn");
  }
}

function isSame({ prompt }: StoredTurn, input: PromptInput): boolean {
  const content = ({ text, attachments, channel }: PromptInput) => JSON.stringify([text, attachments, channel]);
  return content(prompt) === content(input);
}
