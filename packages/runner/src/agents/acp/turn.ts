import { randomUUID } from "node:crypto";
import type { Answer, Question } from "@agent-ops/shared/questions";
import type { AgentEvent, SessionNews } from "../../agent-client.ts";
import { Channel } from "../../channel.ts";
import { type AcpMemory, AcpToV2 } from "../acp-to-v2.ts";
import { type PermissionOutcome, permissionOutcome, permissionQuestion } from "./permissions.ts";
import type { PermissionRequest, PromptResponse } from "./updates.ts";

const QUEUED_BATCHES = 64;

type Batch = readonly AgentEvent[];
type FormAnswer = Extract<Answer, { action: string }>;

interface TurnOptions {
  turnId: string;
  memory: AcpMemory;
  onUnknown(kind: string): void;
  /** What the agent tells the session when the turn is over. */
  onNews(news: SessionNews): void;
}

/** One turn: what the agent says as events, and what it asks as questions. */
export class AcpTurn {
  #mapper: AcpToV2;
  #options: Pick<TurnOptions, "onUnknown" | "onNews">;
  #batches = new Channel<Batch>(QUEUED_BATCHES);
  #questions = new Map<string, (answer: Answer | undefined) => void>();
  #isOver = false;

  constructor({ turnId, memory, ...options }: TurnOptions) {
    this.#mapper = new AcpToV2(turnId, memory);
    this.#options = options;
  }

  async *events(): AsyncGenerator<AgentEvent> {
    for await (const batch of this.#batches) yield* batch;
  }

  /** Resolves when there is room for more. */
  async update(raw: unknown): Promise<void> {
    if (this.#isOver) return this.#updateLate(raw);
    const { events, unknown } = this.#mapper.update(raw);
    if (unknown !== undefined) this.#options.onUnknown(unknown);
    await this.tell(events);
  }

  #updateLate(raw: unknown): void {
    for (const news of this.#mapper.late(raw)) this.#options.onNews(news);
  }

  async tell(events: Batch): Promise<void> {
    if (events.length > 0) await this.#batches.push(events);
  }

  async permit(request: PermissionRequest): Promise<PermissionOutcome> {
    const { events, toolName } = this.#mapper.permission(request);
    void this.tell(events);
    const answer = await this.#ask(permissionQuestion(request, toolName));
    if (!answer) return { outcome: "cancelled" };
    const { outcome, isRefusal } = permissionOutcome(request.options, answer);
    const reason = "reason" in answer ? answer.reason : undefined;
    if (isRefusal) void this.tell(this.#mapper.refused(request.toolCall.toolCallId, reason));
    return outcome;
  }

  async fillIn(prompt: string, schema: Record<string, unknown>): Promise<FormAnswer> {
    const answer = await this.#ask({ kind: "form", prompt, schema });
    return answer && "action" in answer ? answer : { action: "cancel" };
  }

  answer(questionId: string, answer: Answer): void {
    this.#questions.get(questionId)?.(answer);
    this.#questions.delete(questionId);
  }

  /** Nobody will answer any more. */
  cancelQuestions(): void {
    for (const resolve of this.#questions.values()) resolve(undefined);
    this.#questions.clear();
  }

  finish(response: PromptResponse): void {
    void this.tell(this.#mapper.finish(response));
    this.#end();
  }

  fail(error: Error): void {
    this.#end({ error });
  }

  #end(failure?: { error: Error }): void {
    this.#isOver = true;
    this.cancelQuestions();
    this.#batches.end(failure);
  }

  async #ask(question: Omit<Question, "questionId" | "turnId">): Promise<Answer | undefined> {
    if (this.#isOver) return undefined;
    const questionId = randomUUID();
    const { promise, resolve } = Promise.withResolvers<Answer | undefined>();
    this.#questions.set(questionId, resolve);
    void this.tell([{ type: "question", questionId, ...question }]);
    return promise;
  }
}
