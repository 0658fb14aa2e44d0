import type { RunnerEvent } from "@agent-ops/shared/events";
import type { PromptCommand } from "@agent-ops/shared/frames";
import { FIXED_TIMES } from "@agent-ops/shared/limits";
import { type AgentClient, type AgentEvent, TurnError } from "./agent-client.ts";
import type { Clock } from "./clock.ts";
import { unlessAborted, untilAborted } from "./until-aborted.ts";

/** An agent that was told to stop may say this much longer how it went. */
const ABORT_GRACE_MS = 2_000;
const ERROR_CHARS = 2_000;

type Status = Extract<RunnerEvent, { type: "agentStatus" }>["status"];
type Finalize = Extract<RunnerEvent, { type: "message.finalize" }>;
type Ending = Omit<Finalize, "type" | "turnId">;

export interface Turn {
  prompt: PromptCommand;
  /** Fails where there is no such agent, or where it has no place to work in. */
  agent(signal: AbortSignal): AgentClient | Promise<AgentClient>;
  /** Aborted with a `TurnError` the turn ends with that error, otherwise as canceled. */
  signal: AbortSignal;
  /** Takes an event; a promise asks to wait before the next one. */
  emit(event: RunnerEvent): Promise<void> | undefined;
  clock: Clock;
}

/** Runs one turn of an agent and tells it as events: a create first, exactly one finalize last, whatever happens. */
export async function runTurn(turn: Turn): Promise<void> {
  const { turnId, channel } = turn.prompt;
  const scope = { channelType: channel?.type, channelId: channel?.id };
  const opened = await openAgent(turn);
  turn.emit({ type: "message.create", turnId, ...(channel ? scope : {}), ...opened.name });
  const teller = new Teller(turn);
  teller.tellStatus("thinking");
  const told = opened.ending ?? (await tellEvents(turn, teller, opened.agent));
  const ending = turn.signal.aborted ? { ...told, ...stopped(turn.signal) } : told;
  teller.tellStatus("idle");
  turn.emit({ type: "message.finalize", turnId, ...ending });
}

type Opened =
  | { agent: AgentClient; name: { agentSessionId?: string }; ending?: undefined }
  | { ending: Ending; name?: undefined };

/** An agent that names its conversation does so before the message is opened, which carries the name. */
async function openAgent(turn: Turn): Promise<Opened> {
  const { agent, signal } = turn;
  if (signal.aborted) return { ending: { reason: "canceled" } };
  const stopTelling = tellWaiting(turn);
  try {
    const opened = await agent(signal);
    const agentSessionId = opened.session && (await unlessAborted(opened.session(), signal));
    return { agent: opened, name: agentSessionId === undefined ? {} : { agentSessionId } };
  } catch (error) {
    return { ending: failed(error) };
  } finally {
    stopTelling();
  }
}

/** A clone may take long. Meanwhile the session hears now and then that the turn is alive. */
function tellWaiting({ prompt: { turnId }, clock, emit }: Turn): () => void {
  let cancel = () => {};
  const wait = () => {
    cancel = clock.after(FIXED_TIMES.heartbeatMs, () => {
      emit({ type: "agentStatus", turnId, status: "thinking", detail: "Getting ready" });
      wait();
    });
  };
  wait();
  return () => cancel();
}

async function tellEvents(turn: Turn, teller: Teller, agent: AgentClient): Promise<Ending> {
  const { signal, clock } = turn;
  if (signal.aborted) return { reason: "canceled" };
  try {
    const { type: _, ...input } = turn.prompt;
    const events = agent.prompt(input, signal);
    for await (const event of untilAborted(events, { signal, clock, graceMs: ABORT_GRACE_MS })) {
      const ending = endingIn(event);
      if (ending) return ending;
      await teller.tell(event);
    }
    return { reason: "end_turn" };
  } catch (error) {
    return failed(error);
  }
}

/** Adds to each event what only the turn knows: its id, and the status that follows from what the agent does. */
class Teller {
  #turn: Turn;
  #status: string | undefined;

  constructor(turn: Turn) {
    this.#turn = turn;
  }

  tell(event: AgentEvent): Promise<void> | undefined {
    if (event.type === "agentStatus") return this.tellStatus(event.status, event.detail);
    const status = statusDuring(event);
    if (status) this.tellStatus(status);
    const { turnId } = this.#turn.prompt;
    return this.#turn.emit({ ...event, ...{ turnId } });
  }

  tellStatus(status: Status, detail?: string): Promise<void> | undefined {
    const key = `${status} ${detail ?? ""}`;
    if (key === this.#status) return undefined;
    this.#status = key;
    const { turnId } = this.#turn.prompt;
    return this.#turn.emit({ type: "agentStatus", turnId, status, ...(detail === undefined ? {} : { detail }) });
  }
}

function statusDuring(event: AgentEvent): Status | undefined {
  switch (event.type) {
    case "message.part.text-delta":
    case "chunk":
      return "streaming";
    case "message.part.reasoning-delta":
      return "thinking";
    case "message.part.tool-update":
      return event.status === "pending" || event.status === "running" || event.preliminary
        ? "tool_calling"
        : "thinking";
    default:
      return undefined;
  }
}

/** An agent may say itself how its turn ended; nothing it says afterwards counts. */
function endingIn(event: AgentEvent): Ending | undefined {
  switch (event.type) {
    case "message.finalize": {
      const { type: _, ...ending } = event;
      return ending;
    }
    case "complete":
      return { reason: "end_turn" };
    case "error":
      return { reason: "error", error: event.message };
    default:
      return undefined;
  }
}

function stopped(signal: AbortSignal): Ending {
  if (signal.reason instanceof TurnError) return failed(signal.reason);
  return { reason: "canceled", error: undefined };
}

function failed(error: unknown): Ending {
  if (error instanceof TurnError) return { reason: "error", error: error.message };
  const message = error instanceof Error ? error.message : String(error);
  return { reason: "error", error: `The agent failed: ${message}`.slice(0, ERROR_CHARS) };
}
