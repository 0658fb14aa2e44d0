import type { RunnerEvent } from "@agent-ops/shared/events";
import type { AssignCommand } from "@agent-ops/shared/frames";
import type { Answer } from "@agent-ops/shared/questions";
import { type AgentClient, type AgentContext, TurnError } from "./agent-client.ts";
import { type AgentPlace, endProcessesOf } from "./agent-places.ts";
import { endLeftovers } from "./agents/leftovers.ts";
import { describeError, type Log } from "./log.ts";
import { SessionWorkspace } from "./workspace/session-workspace.ts";
import type { Workspaces } from "./workspace/workspaces.ts";

export interface AgentDeskOptions {
  sessionId: string;
  /** Where the agent runs; made where it is missing. */
  place(): AgentPlace;
  workspaces: Workspaces;
  /** Values that no event may show. */
  secrets?: ReadonlySet<string>;
  createAgent(name: string, context: AgentContext): AgentClient;
  emit(event: RunnerEvent): void;
  log: Log;
}

/** One session's agent and the folder it works in. */
export class AgentDesk {
  readonly workspace: SessionWorkspace;
  /** What the session wants, once it has said so. */
  assigned: AssignCommand | undefined;
  #options: AgentDeskOptions;
  #agent: AgentClient | undefined;
  #place: AgentPlace | undefined;

  constructor(options: AgentDeskOptions) {
    this.#options = options;
    this.workspace = new SessionWorkspace({
      ...options,
      place: () => this.#prepare(),
      wanted: () => this.assigned?.workspace,
      // A name of its own keeps it from what belongs to the session's agent.
      createAgent: () => this.#create({ sessionId: `${options.sessionId}.review` }),
    });
  }

  async start(signal: AbortSignal): Promise<AgentClient> {
    this.#prepare();
    if (this.#agent) return this.#agent;
    await this.workspace.prepare(signal);
    signal.throwIfAborted();
    const agentSessionId = this.assigned?.agentSessionId;
    const tell: AgentContext["tell"] = (news) => this.#options.emit(news);
    this.#agent = this.#create({ tell, ...(agentSessionId ? { agentSessionId } : {}) });
    return this.#agent;
  }

  answer(questionId: string, answer: Answer): void {
    this.#agent?.answer(questionId, answer);
  }

  /** Ends when no process of the agent is left. */
  async dispose(): Promise<void> {
    this.workspace.endReview();
    try {
      await this.#agent?.dispose();
    } catch (error) {
      this.#options.log.error("agent.dispose_failed", { cause: describeError(error) });
    }
    await this.#endProcesses();
    await this.workspace.close();
    // A review that was just being started has started something since.
    await this.#endProcesses();
  }

  async #endProcesses(): Promise<void> {
    if (this.#place?.user) await endProcessesOf(this.#place.user);
    else if (this.#place) endLeftovers(`HOME=${this.#place.home}`);
  }

  #prepare(): AgentPlace {
    this.#place = this.#options.place();
    return this.#place;
  }

  #create(change: Partial<AgentContext>): AgentClient {
    const { sessionId, createAgent } = this.#options;
    if (!this.assigned) throw new TurnError("The session sent a prompt before it said which agent it wants.");
    return createAgent(this.assigned.agent, { sessionId, ...this.#prepare(), ...change });
  }
}
