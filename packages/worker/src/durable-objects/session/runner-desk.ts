import type { RunnerEvent, UnknownEvent } from "@agent-ops/shared/events";
import { CLOSE, parseRunnerEvent } from "@agent-ops/shared/frames";
import { LIMITS } from "@agent-ops/shared/limits";
import { metrics } from "../../lib/metrics.ts";
import { AGENT } from "../../lib/names.ts";
import type { Family } from "./family.ts";
import type { Journal } from "./journal.ts";
import type { RunnerLink, RunnerSocket } from "./runner-link.ts";
import type { RunnerRequests } from "./runner-requests.ts";
import type { SessionRecord, SessionStore } from "./session-store.ts";
import type { TurnDesk } from "./turn-desk.ts";
import { admit } from "./turn-machine.ts";

type RunnerDeskTools = {
  store: SessionStore;
  journal: Journal;
  turns: TurnDesk;
  link: RunnerLink;
  family: Family;
  requests: RunnerRequests;
  record(): SessionRecord;
  saveRecord(change: Partial<SessionRecord>): void;
  note(user: string, action: string, detail: string): void;
};

/** What the runner does to the session. */
export class RunnerDesk {
  #tools: RunnerDeskTools;

  constructor(tools: RunnerDeskTools) {
    this.#tools = tools;
  }

  connected(socket: RunnerSocket, epoch: number): void {
    const { link, turns, store } = this.#tools;
    if (!link.connect(socket, epoch)) return;
    if (turns.clock.missesRunner) this.#toast("info", "The runner is back.");
    turns.clock.runnerBack();
    const { id, agent, workspace, agentSessionId, status } = this.#tools.record();
    const { active } = turns;
    const turn = active ? { turnId: active.prompt.turnId, turnStarted: active.created } : {};
    link.send(
      { type: "assign", sessionId: id, epoch, agent, workspace, agentSessionId, ...turn },
      { type: "ack", seq: store.lease().seq },
      ...turns.openingCommands(),
    );
    // It was away when it was let go.
    if (status === "hibernated" || status === "terminated") link.release();
  }

  /** A socket that outlived the actor's memory. */
  restored(socket: RunnerSocket): void {
    this.#tools.link.restore(socket);
    this.#tools.turns.clock.runnerBack();
  }

  gone(socket: RunnerSocket, code: number): void {
    const { link, turns } = this.#tools;
    if (!link.isCurrent(socket)) return;
    link.disconnect();
    if (turns.active) this.#toast("warning", "The runner is away. The agent goes on when it is back.");
    if (code === CLOSE.leaving) turns.runnerLeft();
    else turns.clock.runnerGone();
  }

  /** POOL3: nobody holds this lease any more. */
  lost(epoch: number): void {
    const { link, turns } = this.#tools;
    if (!link.lose(epoch)) return;
    turns.runnerLost();
  }

  frame(socket: RunnerSocket, raw: unknown): void {
    const { link, turns, journal } = this.#tools;
    if (!link.isCurrent(socket)) return;
    if (isPing(raw)) {
      link.send({ type: "pong" });
      if (turns.toolAtWork) turns.clock.sign();
      return;
    }
    const events = link.receive(raw);
    for (const event of events) {
      link.took();
      this.#onEvent(event);
    }
    journal.settle();
  }

  #onEvent(raw: UnknownEvent): void {
    const { link, turns, journal } = this.#tools;
    const parsed = parseRunnerEvent(raw);
    if (parsed.kind === "invalid") {
      metrics.count("runner.malformed_events");
      link.send({ type: "error", message: parsed.message });
      return;
    }
    turns.clock.sign();
    if (parsed.kind === "known") return this.#onKnownEvent(parsed.event);
    metrics.count("adapter.translation.unknown_events");
    journal.appendLive(parsed.event);
  }

  #onKnownEvent(raw: RunnerEvent): void {
    const { turns } = this.#tools;
    const event = withTurn(raw, turns.activeTurnId);
    const verdict = admit(turns.active, event);
    if (verdict === "end") turns.end(event);
    if (verdict === "append") this.#append(event);
  }

  #append(event: RunnerEvent): void {
    const { turns, journal, family, requests } = this.#tools;
    switch (event.type) {
      case "question":
        return turns.questions.ask(event, (logged) => {
          turns.record(logged);
          turns.clock.asked(event);
        });
      case "title":
        return this.#retitle(event.title);
      case "child-session":
        return family.told(event);
      case "audit":
        return this.#tools.note(`${AGENT}${this.#tools.record().agent}`, event.action, event.detail ?? "");
      case "diff":
        return requests.onDiff(event);
      case "models":
      case "commands":
      case "git-state":
      case "review-result":
        return requests.onLatest(event);
      default:
        turns.record(journal.appendLive(event));
        if (event.type === "message.create") this.#keepAgentSession(event.agentSessionId);
    }
  }

  /** LIFE5: what a person called the session stays. */
  #retitle(text: string): void {
    const { journal, record, saveRecord } = this.#tools;
    const title = text.trim().slice(0, LIMITS.titleChars).toWellFormed();
    if (title === "" || title === record().title || record().titledByPerson) return;
    journal.appendStored([{ type: "title", title }], () => saveRecord({ title }));
  }

  #toast(level: "info" | "warning", message: string): void {
    this.#tools.journal.readers.tell({ type: "toast", level, message });
  }

  #keepAgentSession(agentSessionId: string | undefined): void {
    if (agentSessionId === undefined || agentSessionId === this.#tools.record().agentSessionId) return;
    this.#tools.saveRecord({ agentSessionId });
  }
}

/** Some events may leave out which turn they mean; the log does not. */
function withTurn(event: RunnerEvent, active: string | undefined): RunnerEvent {
  switch (event.type) {
    case "complete":
    case "agentStatus":
      return { ...event, turnId: event.turnId ?? active };
    case "chunk":
      return { ...event, turnId: event.turnId ?? event.messageId ?? active };
    default:
      return event;
  }
}

function isPing(raw: unknown): boolean {
  return typeof raw === "object" && raw !== null && "type" in raw && raw.type === "ping";
}
