import type { AgentEvent } from "../../agent-client.ts";

type Subagent = { title: string; status: "running" | "completed" | "error" };

/** The sessions that OpenCode makes for its subagents. Their events come on the same stream. */
export class Subagents {
  #root: string;
  #subagents = new Map<string, Subagent>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Whether a session is the conversation's own or one below it. */
  has(sessionId: string): boolean {
    return sessionId === this.#root || this.#subagents.has(sessionId);
  }

  titleOf(sessionId: string): string | undefined {
    return this.#subagents.get(sessionId)?.title;
  }

  created({ id, title, parentID }: { id: string; title: string; parentID?: string | undefined }): AgentEvent[] {
    if (parentID === undefined || !this.has(parentID) || this.has(id)) return [];
    this.#subagents.set(id, { title, status: "running" });
    return this.#tell(id);
  }

  rested(sessionId: string): AgentEvent[] {
    return this.#change(sessionId, "completed");
  }

  failed(sessionId: string): AgentEvent[] {
    return this.#change(sessionId, "error");
  }

  #change(sessionId: string, status: Subagent["status"]): AgentEvent[] {
    const subagent = this.#subagents.get(sessionId);
    if (subagent?.status !== "running") return [];
    subagent.status = status;
    return this.#tell(sessionId);
  }

  #tell(childSessionId: string): AgentEvent[] {
    const subagent = this.#subagents.get(childSessionId);
    return subagent ? [{ type: "child-session", childSessionId, ...subagent }] : [];
  }
}
