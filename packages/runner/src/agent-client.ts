import type { RunnerEvent } from "@agent-ops/shared/events";
import type { PromptCommand } from "@agent-ops/shared/frames";
import type { Answer } from "@agent-ops/shared/questions";
import type { AgentEnvironment } from "./agent-environment.ts";
import type { AgentPlace } from "./agent-places.ts";
import type { Log } from "./log.ts";

/** `Omit` forgets the named keys of a type that allows any others, so those stay as they are. */
type WithoutTurn<Event> = Event extends unknown ? (string extends keyof Event ? Event : Omit<Event, "turnId">) : never;

/**
 * What an agent says during a turn. The runner adds the turn's id, opens the message and ends it; an agent that wants
 * to say how its turn ended (with its usage, say) yields `message.finalize` last.
 */
export type AgentEvent = WithoutTurn<Exclude<RunnerEvent, { type: "message.create" | "ping" }>>;

/** What concerns the session rather than a turn, and may come between turns. */
export type SessionNews = Extract<AgentEvent, { type: "title" }>;

export type AgentPrompt = Omit<PromptCommand, "type">;

/** The port behind which every agent lives: one client per session. */
export interface AgentClient {
  /** Its own name for the conversation, by which it can go on with it later; starts the agent where it has to. */
  session?(): Promise<string>;
  /** One turn. Ends soon after `signal` aborts; throws where the agent failed. */
  prompt(input: AgentPrompt, signal: AbortSignal): AsyncIterable<AgentEvent>;
  answer(questionId: string, answer: Answer): void;
  /** Stops the agent's process. A later prompt starts it anew, and it goes on with its conversation. */
  dispose(): Promise<void>;
}

/** The runner's own tools for one session, as an MCP server on loopback. */
export interface ToolServer {
  url: string;
  password: string;
}

export interface AgentContext extends AgentPlace {
  sessionId: string;
  /** The agent's own name for an earlier conversation that it should go on with. */
  agentSessionId?: string;
  /** Keys and settings of the host, for agents that need any. */
  environment?: AgentEnvironment;
  log?: Log;
  /** Tells the session, whether a turn runs or not. */
  tell?(news: SessionNews): void;
  /** Where the runner's own tools are; for agents that can use them. */
  toolServer?(): Promise<ToolServer>;
}

export type AgentFactory = (context: AgentContext) => AgentClient;

/** A failure whose message is meant for the people in the session. */
export class TurnError extends Error {
  override name = "TurnError";
}
