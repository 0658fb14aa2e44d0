import { setTimeout as delay } from "node:timers/promises";
import type { ReaderEvent } from "@agent-ops/shared/events";
import type { Api } from "../../api.ts";
import type { Tape } from "../audit/auditor.ts";
import type { PlannedPrompt, PlannedSession } from "../plan.ts";
import { SessionWatch } from "../session-watch.ts";
import { answerByRequest, answerOnSocket } from "./answerer.ts";
import { ChatPerson } from "./chat-person.ts";
import { SseClient } from "./sse-client.ts";
import { openTapes, type Recordings } from "./tapes.ts";
import { V2Client } from "./v2-client.ts";

const RESEND_MS = 500;
const TURN_MS = 120_000;

type Apis = Record<"alice" | "bob" | "carol" | "dave", Api>;

/**
 * Everybody in one session: alice and bob at V2 sockets, both with an answer to every question; carol, who posts and
 * whose second screen follows every turn by index; dave with a real AI SDK client.
 */
export class Cast {
  readonly sessionId: string;
  readonly tapes: readonly Tape[];
  readonly watch: SessionWatch;
  readonly sockets: V2Client[];
  /** Prompts that were sent two times at once. */
  repeated = 0;
  /** Turns that somebody wanted to stop. */
  stops = 0;
  readonly #plan: PlannedSession;
  readonly #alice: V2Client;
  readonly #bob: V2Client;
  readonly #apis: Apis;
  readonly #recordings: Recordings;
  readonly #carol: SseClient;
  readonly #screen: SseClient;
  readonly #dave: ChatPerson;
  /** Turns by the tags of prompts that were taken on the socket. */
  readonly #accepted = new Map<string, string>();
  #following: Promise<void> = Promise.resolve();
  #errands = new Set<Promise<void>>();

  constructor(sessionId: string, apis: Apis, plan: PlannedSession, folder: string) {
    this.sessionId = sessionId;
    this.#plan = plan;
    this.#apis = apis;
    this.watch = new SessionWatch({
      onTurn: (turnId) => {
        this.#following = this.#following.then(() => this.#screen.follow(turnId));
      },
      onQuestion: (questionId) => this.#onQuestion(questionId),
    });
    const { tapes, recordings } = openTapes(sessionId, folder);
    this.tapes = tapes;
    this.#recordings = recordings;
    const { watch } = this;
    const onEvent = watch.see.bind(watch);
    const reader = (name: "alice" | "bob", onReply: (reply: ReaderEvent) => void) =>
      new V2Client({ api: apis[name], sessionId, recording: recordings[name], onEvent, onReply });
    this.#alice = reader("alice", (reply) => this.#onReply(reply));
    this.#bob = reader("bob", () => undefined);
    this.sockets = [this.#alice, this.#bob];
    this.#carol = new SseClient(apis.carol, sessionId, recordings.carol);
    this.#screen = new SseClient(apis.carol, sessionId, recordings.screen);
    this.#dave = new ChatPerson({ api: apis.dave, sessionId, version: plan.sdk, recording: recordings.dave, watch });
  }

  /** Asks one thing after the other for as long as `goesOn`, and waits for what was asked. */
  async play(goesOn: () => boolean): Promise<void> {
    for (const prompt of this.#plan.prompts) {
      if (!goesOn()) break;
      await delay(prompt.pauseMs);
      await this.#ask(prompt);
      const turnEnded = () => this.watch.ended.has(this.watch.turnsByTag.get(prompt.tag) ?? "");
      if (prompt.waits && prompt.way !== "chat") await this.watch.until(turnEnded, TURN_MS);
    }
  }

  /** False where the session does not come to rest in time, or somebody does not get all of it. */
  async rests(ms: number): Promise<boolean> {
    const [alice, bob] = [this.#alice, this.#bob];
    const isAtRest = () => this.watch.resting && alice.connected && bob.connected && alice.seq === bob.seq;
    if (!(await this.watch.until(isAtRest, ms))) return false;
    const done = Promise.all([this.#following, ...this.#errands]).then(() => true);
    return Promise.race([done, delay(ms, false)]);
  }

  /** LIFE9: whose list of sessions says for so long of this one what is not true of it. */
  async misinformed(ms: number): Promise<string[]> {
    const end = performance.now() + ms;
    for (;;) {
      const { status } = await (await this.#apis.alice.request("GET", `/api/sessions/${this.sessionId}`)).json();
      const listed = await Promise.all(Object.entries(this.#apis).map(([name, api]) => this.#listed(name, api)));
      const wrong = listed.filter((entry) => entry.status !== status);
      if (wrong.length === 0) return [];
      if (performance.now() > end) return wrong.map((entry) => `${entry.name}'s list: ${entry.status}, not ${status}`);
      await delay(RESEND_MS);
    }
  }

  async #listed(name: string, api: Api): Promise<{ name: string; status: string }> {
    const { sessions } = await (await api.request("GET", "/api/sessions")).json();
    return { name, status: sessions.find(({ id }: { id: string }) => id === this.sessionId)?.status };
  }

  cut(): void {
    for (const client of [...this.sockets, this.#carol, this.#screen, this.#dave]) client.cut();
  }

  stall(ms: number): void {
    for (const client of [this.#alice, this.#screen, this.#carol]) client.stall(ms);
  }

  storm(backs: readonly number[]): void {
    for (const socket of this.sockets) socket.storm(backs);
  }

  stop(): void {
    for (const client of [...this.sockets, this.#carol, this.#screen, this.#dave]) client.stop();
  }

  get state(): string {
    const { resting, turnsByTag, ended } = this.watch;
    const open = [...turnsByTag].filter(([, turnId]) => !ended.has(turnId)).map(([tag]) => tag);
    const seqs = this.sockets.map(({ seq, connected }) => `${seq}${connected ? "" : " (away)"}`);
    return `${resting ? "at rest" : `not at rest, open: ${open.join(", ") || "nothing"}`}; sockets at ${seqs.join(", ")}`;
  }

  async #ask(prompt: PlannedPrompt): Promise<void> {
    const { tag, text, way, twice } = prompt;
    if (way === "chat") return this.#dave.ask(prompt);
    const recording = this.#recordings[way === "socket" ? "alice" : "carol"];
    recording.note({ k: "sent", tag });
    if (twice) this.repeated += 1;
    if (way === "post") await this.#carol.ask({ id: tag, text }, twice ? 2 : 1);
    else await this.#askOnSocket(tag, text, twice);
    recording.note({ k: "taken", tag });
    if (prompt.stopMs !== undefined) this.#errand(this.#stopTurn(tag, prompt.stopMs));
  }

  async #askOnSocket(tag: string, text: string, twice: boolean): Promise<void> {
    while (!this.#accepted.has(tag)) {
      for (let copies = twice ? 2 : 1; copies > 0; copies -= 1) this.#alice.send({ type: "prompt", id: tag, text });
      await this.watch.until(() => this.#accepted.has(tag), RESEND_MS);
    }
  }

  /** Says so again and again: a turn that has not begun, or whose session restarts, is deaf to it. */
  async #stopTurn(tag: string, ms: number): Promise<void> {
    const turnId = this.#accepted.get(tag) ?? "";
    this.#recordings.alice.note({ k: "stopped", tag });
    this.stops += 1;
    await delay(ms);
    do this.#alice.send({ type: "abort", turnId });
    while (!(await this.watch.until(() => this.watch.ended.has(turnId), RESEND_MS)));
  }

  #onReply(reply: ReaderEvent): void {
    if (reply.type === "accepted") this.#accepted.set(reply.promptId, reply.turnId);
  }

  #onQuestion(questionId: string): void {
    const delays = this.#plan.answerDelays;
    const [alice, bob] = delays[this.watch.questions.size % delays.length] ?? [0, 0];
    const route = { api: this.#apis.bob, sessionId: this.sessionId, recording: this.#recordings.bob };
    this.#errand(delay(alice).then(() => answerOnSocket(this.#alice, this.watch, questionId)));
    this.#errand(delay(bob).then(() => answerByRequest(route, this.watch, questionId)));
  }

  #errand(work: Promise<void>): void {
    this.#errands.add(work);
    void work.finally(() => this.#errands.delete(work));
  }
}
