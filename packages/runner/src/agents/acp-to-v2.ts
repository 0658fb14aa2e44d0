import type { Usage } from "@agent-ops/shared/message-parts";
import type { AgentEvent, SessionNews } from "../agent-client.ts";
import { ToolCalls, textOf } from "./acp/tool-calls.ts";
import {
  type ContentBlock,
  type PermissionRequest,
  type PromptResponse,
  type SessionUpdate,
  SILENT_UPDATES,
  sessionUpdate,
} from "./acp/updates.ts";

const LEFT_OPEN = "The agent's turn ended before this tool did.";

/** What an agent's session remembers from one turn to the next. */
export interface AcpMemory {
  /** The session's cost so far: agents tell the sum, a turn tells its part. Unknown where the session is an old one. */
  costUsd: number | undefined;
  /** Some agents rename a session after every prompt; people get the first name. */
  isNamed: boolean;
}

export interface Mapped {
  events: AgentEvent[];
  /** A kind of update that nobody here knows. */
  unknown?: string;
}

/** One turn of an ACP agent as V2 events. No clock, no ids of its own: the same updates give the same events. */
export class AcpToV2 {
  #turnId: string;
  #memory: AcpMemory;
  #costBefore: number | undefined;
  #calls = new ToolCalls();
  /** Calls that had ended when the last step began. */
  #endedBefore = 0;
  #plans = 0;

  constructor(turnId: string, memory: AcpMemory) {
    this.#turnId = turnId;
    this.#memory = memory;
    this.#costBefore = memory.costUsd;
  }

  update(raw: unknown): Mapped {
    const kind = kindOf(raw);
    if (SILENT_UPDATES.has(kind)) return { events: [] };
    const parsed = sessionUpdate.safeParse(raw);
    return parsed.success ? { events: this.#events(parsed.data) } : { events: [], unknown: kind };
  }

  /** What is still told after the turn's end. */
  late(raw: unknown): SessionNews[] {
    const { data } = sessionUpdate.safeParse(raw);
    return data?.sessionUpdate === "session_info_update" ? this.#title(data.title ?? "") : [];
  }

  permission({ toolCall }: PermissionRequest): { events: AgentEvent[]; toolName: string } {
    const events = this.#calls.ask(toolCall);
    return { events, toolName: this.#calls.nameOf(toolCall.toolCallId) };
  }

  refused(callId: string, reason?: string): AgentEvent[] {
    return this.#calls.refuse(callId, reason);
  }

  finish(response: PromptResponse): AgentEvent[] {
    const usage = this.#usage(response);
    return [...this.#calls.close(LEFT_OPEN), { type: "message.finalize", ...ending(response.stopReason), ...usage }];
  }

  #events(update: SessionUpdate): AgentEvent[] {
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
        return this.#delta("message.part.text-delta", update.content);
      case "agent_thought_chunk":
        return this.#delta("message.part.reasoning-delta", update.content);
      case "tool_call":
      case "tool_call_update":
        return this.#calls.update(update);
      case "plan":
        return this.#plan(update.entries);
      case "usage_update":
        if (update.cost?.currency === "USD") this.#cost(update.cost.amount);
        return [];
      case "session_info_update":
        return this.#title(update.title ?? "");
      default:
        return update satisfies never;
    }
  }

  #cost(sum: number): void {
    this.#costBefore ??= sum;
    this.#memory.costUsd = sum;
  }

  /** Words that come after tools have ended are a new step. */
  #delta(type: "message.part.text-delta" | "message.part.reasoning-delta", block: ContentBlock): AgentEvent[] {
    const delta = textOf(block);
    if (delta === "") return [];
    const { ended, open } = this.#calls;
    const isNewStep = ended > this.#endedBefore && open === 0;
    if (isNewStep) this.#endedBefore = ended;
    return [...(isNewStep ? [{ type: "message.step" as const }] : []), { type, delta }];
  }

  #plan(entries: readonly unknown[]): AgentEvent[] {
    this.#plans += 1;
    const callId = `plan-${this.#turnId}-${this.#plans}`;
    const call = { type: "message.part.tool-update" as const, callId, toolName: "plan" };
    return [{ ...call, status: "completed", args: {}, result: { entries } }];
  }

  #title(title: string): SessionNews[] {
    if (this.#memory.isNamed || title === "") return [];
    this.#memory.isNamed = true;
    return [{ type: "title", title }];
  }

  #usage({ usage, _meta }: PromptResponse): { usage?: Usage } {
    const quota = _meta?.quota?.token_count;
    const cost = (this.#memory.costUsd ?? 0) - (this.#costBefore ?? 0);
    const told: Usage = {
      inputTokens: usage?.inputTokens ?? quota?.input_tokens,
      outputTokens: usage?.outputTokens ?? quota?.output_tokens,
      totalTokens: usage?.totalTokens,
      costUsd: cost > 0 ? cost : undefined,
    };
    const known = Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined));
    return Object.keys(known).length > 0 ? { usage: known } : {};
  }
}

function kindOf(raw: unknown): string {
  const kind = typeof raw === "object" && raw !== null && "sessionUpdate" in raw ? raw.sessionUpdate : undefined;
  return typeof kind === "string" ? kind : "none";
}

function ending(stopReason: string): { reason: "end_turn" | "canceled" | "error"; error?: string } {
  switch (stopReason) {
    case "cancelled":
      return { reason: "canceled" };
    case "max_tokens":
      return { reason: "error", error: "The model has reached its limit of tokens." };
    case "max_turn_requests":
      return { reason: "error", error: "The agent has reached its limit of requests to the model in one turn." };
    case "refusal":
      return { reason: "error", error: "The model refused to answer." };
    default:
      return { reason: "end_turn" };
  }
}
