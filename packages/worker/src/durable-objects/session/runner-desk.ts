import type { RunnerEvent, UnknownEvent } from "@agent-ops/shared/events";
import { CLOSE, parseRunnerEvent } from "@agent-ops/shared/frames";
import { LIMITS } from "@agent-ops/shared/limits";
import { metrics } from "../../lib/metrics.ts";
import type { Journal } from "./journal.ts";
import type { RunnerLink, RunnerSocket } from "./runner-link.ts";
import type { SessionRecord, SessionStore } from "./session-store.ts";
import type { TurnDesk } from "./turn-desk.ts";
import { admit } from "./turn-machine.ts";

type RunnerDeskTools = {
  store: SessionStore;
  journal: Journal;
  turns: TurnDesk;
  link: RunnerLink;
  record(): SessionRecord;
  saveRecord(change: Partial<SessionRecord>): void;
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
    const { link, turns, store, journal } = this.#tools;
    if (!link.isCurrent(socket)) return;
    if (isPing(raw)) {
      link.send({ type: "pong" });
      if (turns.toolAtWork) turns.clock.sign();
      return;
    }
    const events = link.receive(raw, store.lease().seq);
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
    const { turns, journal, store, saveRecord } = this.#tools;
    const event = withTurn(raw, turns.activeTurnId);
    const verdict = admit(turns.active, event);
    if (verdict === "drop") return;
    if (verdict === "end") return turns.end(event);
    if (event.type === "question") {
      journal.appendStored([event], ([logged]) => {
        if (logged) turns.record(logged);
        store.questions.add(event);
        turns.clock.asked(event);
      });
    } else if (event.type === "title") {
      const title = event.title.slice(0, LIMITS.titleChars);
      journal.appendStored([{ ...event, title }], () => saveRecord({ title }));
    } else {
      turns.record(journal.appendLive(event));
    }
    if (event.type === "message.create") this.#keepAgentSession(event.agentSessionId);
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
