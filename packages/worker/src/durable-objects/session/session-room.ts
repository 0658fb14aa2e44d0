import { AppError } from "@agent-ops/shared/errors";
import type { LogPayload } from "@agent-ops/shared/events";
import type { PromptInput } from "@agent-ops/shared/frames";
import { LIMITS } from "@agent-ops/shared/limits";
import { type Answer, parseAnswer, type QuestionResolution } from "@agent-ops/shared/questions";
import type { Role, SessionView } from "@agent-ops/shared/sessions";
import { RateLimiter } from "../../lib/rate-limiter.ts";
import { Askers } from "./askers.ts";
import { Journal } from "./journal.ts";
import type { RoomPorts } from "./room-ports.ts";
import { RunnerDesk } from "./runner-desk.ts";
import { RunnerLink } from "./runner-link.ts";
import { type Member, type SessionRecord, SessionStore } from "./session-store.ts";
import { TurnDesk } from "./turn-desk.ts";
import type { Prompt } from "./turn-machine.ts";
import type { StoredTurn } from "./turn-table.ts";

/** How a prompt over HTTP differs from one over the socket. */
type AskOptions = Pick<Prompt, "onDisconnect" | "replaces">;

/** One session: what people and the runner may do to it. Everything here happens in one thread, in order. */
export class SessionRoom {
  readonly store: SessionStore;
  readonly journal: Journal;
  readonly turns: TurnDesk;
  readonly askers: Askers;
  readonly runner: RunnerDesk;
  #ports: RoomPorts;
  #link: RunnerLink;
  #limiter: RateLimiter;
  #record: SessionRecord;

  constructor(ports: RoomPorts) {
    this.#ports = ports;
    this.store = new SessionStore(ports.storage);
    this.#record = this.store.record();
    this.#limiter = new RateLimiter(ports.actsPerSecond);
    this.#link = new RunnerLink(this.store.lease());
    this.journal = new Journal(ports, this.store, this.#link);
    const { store, journal } = this;
    const setStatus = (status: SessionRecord["status"]) => this.#saveRecord({ status });
    this.turns = new TurnDesk({ ports, store, journal, runner: this.#link, setStatus });
    this.askers = new Askers(store, this.turns.clock);
    this.runner = new RunnerDesk({
      store,
      journal,
      turns: this.turns,
      link: this.#link,
      record: () => this.#record,
      saveRecord: (change) => this.#saveRecord(change),
    });
    this.turns.restore(this.store.turns.open());
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

  /** TURN2, TURN9: the same prompt twice is one turn, and so is the same edit where nothing came after it. */
  prompt(user: string, input: PromptInput, ask: AskOptions = {}): { turnId: string; queued: boolean } {
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
    return this.#begin({ ...input, ...ask, ...this.#signature(user) });
  }

  /** TURN9: the same prompt as a new turn; the answers it had leave the history. */
  promptAgain(
    user: string,
    { id, text, attachments, channel, model }: Prompt,
    onDisconnect: "abort" | "detach",
  ): string {
    this.#requireLife();
    const replaces = { messageId: id, itself: false };
    const input = { id, text, attachments, channel, model, trigger: "regenerate" as const, onDisconnect, replaces };
    return this.#begin({ ...input, ...this.#signature(user) }).turnId;
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

  /** Q1 to Q3. */
  answer(user: string, questionId: string, raw: unknown): Answer {
    const found = this.store.questions.get(questionId);
    if (!found) throw new AppError("not_found", "There is no such question.");
    if (found.resolution) throw new AppError("already_answered", describe(found.resolution));
    const answer = parseAnswer(found.question, raw);
    if (!answer) throw new AppError("bad_answer", `That does not answer a question of kind "${found.question.kind}".`);
    const { turnId } = found.question;
    this.turns.resolve(questionId, turnId, { outcome: "answered", answer, by: user });
    this.journal.appendStored([this.#audit(user, "answer", questionId)]);
    this.#link.send({ type: "answer", turnId, questionId, answer });
    this.turns.clock.sign();
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

  setOnDisconnect(user: string, onDisconnect: "abort" | "detach"): void {
    this.journal.appendStored([this.#audit(user, "on-disconnect", onDisconnect)], () =>
      this.#saveRecord({ onDisconnect }),
    );
  }

  /** ACL7: there is always an owner. */
  share(user: string, member: Member): Member[] {
    this.#keepAnOwner(member.user, member.role);
    const { user: name } = member;
    if (!this.store.roleOf(name) && this.store.members().length >= LIMITS.members) {
      throw new AppError("too_many", `A session has at most ${LIMITS.members} members.`);
    }
    const detail = `${member.user}: ${member.role}`;
    this.journal.appendStored([this.#audit(user, "share", detail)], () =>
      this.store.saveMember(member.user, member.role),
    );
    this.#ports.changed(this.#record);
    return this.store.members();
  }

  unshare(user: string, member: string): void {
    if (!this.store.roleOf(member)) throw new AppError("not_found", "That person is no member.");
    this.#keepAnOwner(member, undefined);
    this.journal.appendStored([this.#audit(user, "unshare", member)], () => this.store.removeMember(member));
  }

  /** LIFE2 */
  terminate(user: string): void {
    this.#requireLife();
    this.turns.terminate([this.#audit(user, "terminate", undefined)]);
  }

  /** LIM1: one person cannot keep the others from the session. */
  pace(user: string): void {
    if (this.#limiter.take(user, this.#ports.clock.now())) return;
    throw new AppError(
      "rate_limited",
      `Too fast: at most ${this.#ports.actsPerSecond} acts a second. Try again in a moment.`,
    );
  }

  /** The end of the session: whoever is connected is told, and nothing is written any more. */
  close(): void {
    this.#link.send({ type: "release" });
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

  #begin(prompt: Prompt): { turnId: string; queued: boolean } {
    const { turnId, userId } = prompt;
    const act = { events: [this.#audit(userId, "prompt", turnId)], write: () => this.store.turns.add(prompt) };
    this.turns.apply({ type: "prompt", prompt }, act);
    return { turnId, queued: this.turns.activeTurnId !== turnId };
  }

  #requireLife(): void {
    if (this.#record.status === "terminated") throw new AppError("conflict", "The session was terminated.");
  }

  #keepAnOwner(user: string, next: Role | undefined): void {
    const owners = this.store.members().filter(({ role }) => role === "owner");
    if (next === "owner" || owners.some((owner) => owner.user !== user)) return;
    throw new AppError("conflict", "A session needs an owner. Make somebody else owner first.");
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
  if (input.attachments?.some(({ url }) => !url.startsWith("data:"))) {
    throw new AppError("bad_request", "Files must come as data URLs; other addresses are not fetched.");
  }
  const files = (input.attachments ?? []).reduce((total, { url }) => total + url.length, 0);
  if (files > LIMITS.attachmentBytes) {
    throw new AppError("too_large", `The files of a prompt have at most ${LIMITS.attachmentBytes} bytes as data URLs.`);
  }
}

function isSame({ prompt }: StoredTurn, input: PromptInput): boolean {
  const content = ({ text, attachments, channel }: PromptInput) => JSON.stringify([text, attachments, channel]);
  return content(prompt) === content(input);
}

function describe(resolution: QuestionResolution): string {
  if (resolution.outcome === "answered") {
    return `${resolution.by ?? "Somebody"} has already answered: ${JSON.stringify(resolution.answer)}`;
  }
  return resolution.outcome === "expired" ? "The question has expired." : "The turn that asked has ended.";
}
