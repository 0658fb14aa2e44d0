import type { Answer } from "@agent-ops/shared/questions";
import type { AgentEvent, SessionNews } from "../agent-client.ts";
import {
  type Failure,
  isNoise,
  KNOWN_TYPES,
  type KnownPart,
  knownPart,
  type OpenCodeEvent,
  openCodeEvent,
  type Permission,
} from "./opencode/events.ts";
import { type OpenQuestion, permissionQuestion, type Reply, toolQuestion } from "./opencode/questions.ts";
import { SpokenParts } from "./opencode/spoken-parts.ts";
import { Subagents } from "./opencode/subagents.ts";
import { type Call, ToolCalls } from "./opencode/tool-calls.ts";
import { UsageTotal } from "./opencode/usage-total.ts";

const ABORTED = "MessageAbortedError";
/** Until the model has named a conversation OpenCode calls it this and the time. */
const UNNAMED = /^(New|Child) session - \d{4}-/;

/** What outlives a turn. */
export interface OpenCodeConversation {
  sessionId: string;
  /** The last message of a person; OpenCode's ids grow. */
  lastPrompt: string;
  title: string;
}

type ToolReference = { messageID: string; callID: string };
type HeldQuestion = { tool: ToolReference | undefined; pose(call: Call | undefined): OpenQuestion };
type MessageEnd = { error: Failure | undefined };
type Properties<Type extends OpenCodeEvent["type"]> = Extract<OpenCodeEvent, { type: Type }>["properties"];

type SessionInfo = Properties<"session.updated">["info"];

/** The title that an event brings; the model may think of it when the turn is long over. */
export function newTitle(conversation: OpenCodeConversation, raw: unknown): SessionNews | undefined {
  const { data } = openCodeEvent.safeParse(raw);
  return data?.type === "session.updated" ? renamed(conversation, data.properties.info) : undefined;
}

function renamed(conversation: OpenCodeConversation, { id, title }: SessionInfo): SessionNews | undefined {
  if (id !== conversation.sessionId || title === conversation.title || UNNAMED.test(title)) return undefined;
  conversation.title = title;
  return { type: "title", title };
}

/** Maps what OpenCode says during one turn to V2 events. It knows no clock and no connection. */
export class OpenCodeTurn {
  ended = false;
  #conversation: OpenCodeConversation;
  #onUnknown: (name: string) => void;
  #prompts = new Set<string>();
  /** The agent's messages, and how each ended, once it has. */
  #messages = new Map<string, MessageEnd | undefined>();
  #spoken = new SpokenParts();
  #calls = new ToolCalls();
  #subagents: Subagents;
  #usage = new UsageTotal();
  #questions = new Map<string, OpenQuestion>();
  /** Questions about calls that have not told their arguments yet; people should see those first. */
  #held: HeldQuestion[] = [];
  #steps = 0;
  #failure: Failure | undefined;
  #sawIdle = false;

  constructor(conversation: OpenCodeConversation, onUnknown: (name: string) => void) {
    this.#conversation = conversation;
    this.#onUnknown = onUnknown;
    this.#subagents = new Subagents(conversation.sessionId);
  }

  /** Whether something more should come soon; if it does not, `quiet` goes on without it. */
  get isExpectant(): boolean {
    return !this.ended && (this.#held.length > 0 || this.#sawIdle);
  }

  take(raw: unknown): AgentEvent[] {
    if (this.ended) return [];
    const parsed = openCodeEvent.safeParse(raw);
    if (parsed.success) return this.#take(parsed.data);
    const type = typeOf(raw);
    // A known type in an unknown shape is as good as an unknown one.
    if (KNOWN_TYPES.has(type) || !isNoise(type)) this.#onUnknown(type);
    return [];
  }

  /** What was expected has not come. */
  quiet(): AgentEvent[] {
    const held = this.#held.splice(0).flatMap((question) => this.#ask(question));
    return this.#sawIdle ? [...held, ...this.#end(this.#failure)] : held;
  }

  /** How the server is told of an answer; undefined where nothing like that was asked. */
  reply(questionId: string, answer: Answer): Reply | undefined {
    const question = this.#questions.get(questionId);
    this.#questions.delete(questionId);
    return question?.reply(answer);
  }

  /** What the server is told about everything that nobody will answer any more. */
  rejections(): Reply[] {
    const open = [...this.#questions.values(), ...this.#held.map(({ pose }) => pose(undefined))];
    this.#questions.clear();
    this.#held = [];
    return open.map(({ reject }) => reject);
  }

  #take(event: OpenCodeEvent): AgentEvent[] {
    switch (event.type) {
      case "session.created":
        return this.#subagents.created(event.properties.info);
      case "session.updated":
        return this.#onTitle(event.properties.info);
      case "session.status":
        return this.#onStatus(event.properties);
      case "session.idle":
        return this.#onIdle(event.properties.sessionID);
      case "session.error":
        return this.#onError(event.properties);
      case "message.updated":
        return this.#onMessage(event.properties);
      case "message.part.updated":
        return this.#onPart(event.properties);
      case "message.part.delta":
        return this.#messages.has(event.properties.messageID) ? this.#spoken.delta(event.properties) : [];
      case "permission.asked":
        return this.#onPermission(event.properties);
      case "question.asked":
        return this.#onQuestion(event.properties);
      default:
        return event satisfies never;
    }
  }

  #onTitle(info: SessionInfo): AgentEvent[] {
    const news = renamed(this.#conversation, info);
    return news ? [news] : [];
  }

  #onStatus({ sessionID, status }: Properties<"session.status">): AgentEvent[] {
    if (sessionID !== this.#conversation.sessionId || status.type !== "retry") return [];
    const detail = `The model failed (${status.message ?? "no reason given"}); attempt ${(status.attempt ?? 1) + 1} follows.`;
    return [{ type: "agentStatus", status: "thinking", detail }];
  }

  /** After a failure it rests twice; the first time it still has to tell how its message ended. */
  #onIdle(sessionId: string): AgentEvent[] {
    if (sessionId !== this.#conversation.sessionId) return this.#subagents.rested(sessionId);
    const last = [...this.#messages.values()].at(-1);
    if (last) return this.#end(last.error);
    this.#sawIdle = this.#prompts.size > 0;
    return [];
  }

  #onError({ sessionID, error }: Properties<"session.error">): AgentEvent[] {
    if (sessionID !== undefined && sessionID !== this.#conversation.sessionId) {
      return this.#subagents.failed(sessionID);
    }
    this.#failure = error ?? { name: "An error without a name" };
    return [];
  }

  #onMessage({ sessionID, info }: Properties<"message.updated">): AgentEvent[] {
    const { sessionId, lastPrompt } = this.#conversation;
    if (sessionID !== sessionId) return [];
    if (info.role === "user" && info.id > lastPrompt) {
      this.#prompts.add(info.id);
      this.#conversation.lastPrompt = info.id;
    }
    // The summary that it writes when a conversation gets long is for itself.
    const isOwn = info.role === "assistant" && this.#prompts.has(info.parentID ?? "") && info.summary !== true;
    if (isOwn) this.#messages.set(info.id, info.time.completed === undefined ? undefined : { error: info.error });
    return [];
  }

  #onPart({ sessionID, part: raw }: Properties<"message.part.updated">): AgentEvent[] {
    const { data: part } = knownPart.safeParse(raw);
    if (!part) return [];
    if (part.type === "step-finish" && this.#subagents.has(sessionID)) this.#usage.add(part);
    if (!this.#messages.has(part.messageID)) return [];
    return this.#onKnownPart(part);
  }

  #onKnownPart(part: KnownPart): AgentEvent[] {
    switch (part.type) {
      case "text":
      case "reasoning":
        return this.#spoken.update(part);
      case "tool":
        return [...this.#calls.update(part), ...this.#askHeld()];
      case "step-start":
        this.#steps += 1;
        return this.#steps > 1 ? [{ type: "message.step" }] : [];
      case "step-finish":
        return [];
      default:
        return part satisfies never;
    }
  }

  #onPermission(permission: Permission): AgentEvent[] {
    const subagent = this.#subagents.titleOf(permission.sessionID);
    return this.#hold(permission, (call) => permissionQuestion(permission, call, subagent));
  }

  #onQuestion(asked: Properties<"question.asked">): AgentEvent[] {
    return this.#hold(asked, (call) => toolQuestion(asked, call));
  }

  #hold({ sessionID, tool }: { sessionID: string; tool?: ToolReference }, pose: HeldQuestion["pose"]): AgentEvent[] {
    if (!this.#subagents.has(sessionID)) return [];
    // The calls of subagents are not told here.
    this.#held.push({ tool: sessionID === this.#conversation.sessionId ? tool : undefined, pose });
    return this.#askHeld();
  }

  #askHeld(): AgentEvent[] {
    const isReady = ({ tool }: HeldQuestion) => !tool || this.#calls.find(tool)?.status === "running";
    const ready = this.#held.filter(isReady);
    this.#held = this.#held.filter((question) => !isReady(question));
    return ready.flatMap((question) => this.#ask(question));
  }

  #ask({ tool, pose }: HeldQuestion): AgentEvent[] {
    const question = pose(tool && this.#calls.find(tool));
    this.#questions.set(question.event.questionId, question);
    return [question.event];
  }

  #end(failure: Failure | undefined): AgentEvent[] {
    this.ended = true;
    return [{ type: "message.finalize", ...ending(failure), ...this.#usage.total }];
  }
}

function ending(failure: Failure | undefined): { reason: "end_turn" | "canceled" | "error"; error?: string } {
  if (!failure) return { reason: "end_turn" };
  if (failure.name === ABORTED) return { reason: "canceled" };
  return { reason: "error", error: `The model failed: ${failure.data?.message ?? failure.name}` };
}

function typeOf(raw: unknown): string {
  return typeof raw === "object" && raw !== null && "type" in raw ? String(raw.type) : "no type";
}
