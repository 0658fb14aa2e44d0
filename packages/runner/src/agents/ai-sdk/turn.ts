import { randomUUID } from "node:crypto";
import type { Answer, Question } from "@agent-ops/shared/questions";
import type { FormAnswer } from "../mcp/connection.ts";
import type { ProgramEvent } from "../program/messages.ts";
import type { Questions } from "../program/questions.ts";
import { decide, type ToolFacts } from "./approval-policy.ts";
import type { Approvals } from "./settings.ts";

interface TurnOptions {
  approvals: Approvals;
  /** Tools that people allowed for good in this session. */
  allowed: Set<string>;
  questions: Questions;
  signal: AbortSignal;
  tell(event: ProgramEvent): Promise<void> | undefined;
}

/** What a turn asks of people: whether a tool may run, and what a server wants to know. */
export class Turn {
  readonly signal: AbortSignal;
  #options: TurnOptions;
  /** Calls that people can see; a question about a call comes after the call itself. */
  #told = new Map<string, PromiseWithResolvers<void>>();

  constructor(options: TurnOptions) {
    this.#options = options;
    this.signal = options.signal;
  }

  async tell(event: ProgramEvent): Promise<void> {
    await this.#options.tell(event);
    if (event.type === "message.part.tool-update" && event.status === "running") this.#sign(event.callId).resolve();
  }

  /** Resolves where a call may run, and throws where it may not. */
  async permit(callId: string, tool: ToolFacts): Promise<void> {
    const { approvals, allowed } = this.#options;
    const decision = decide(approvals, tool);
    if (decision === "deny") throw new Error("The configuration of this host does not allow this tool.");
    if (decision === "allow" || allowed.has(tool.name)) return;
    await this.#sign(callId).promise;
    const answer = await this.#ask({ kind: "approval", prompt: `Run ${tool.name}?`, callId, toolName: tool.name });
    if (!("approved" in answer) || !answer.approved) throw new Error(refusal(answer));
    if (answer.always) allowed.add(tool.name);
  }

  async fillIn(prompt: string, schema: Record<string, unknown>): Promise<FormAnswer> {
    const answer = await this.#ask({ kind: "form", prompt, schema });
    return "action" in answer ? answer : { action: "cancel" };
  }

  /** Tells the question and waits; throws where the turn is aborted. */
  async #ask(question: Omit<Question, "questionId" | "turnId">): Promise<Answer> {
    const { questions, signal } = this.#options;
    const questionId = randomUUID();
    const answered = questions.expect(questionId, signal);
    // The turn may be aborted before anybody waits for the answer.
    answered.catch(() => {});
    await this.tell({ type: "question", questionId, ...question });
    return answered;
  }

  #sign(callId: string): PromiseWithResolvers<void> {
    const known = this.#told.get(callId) ?? Promise.withResolvers<void>();
    this.#told.set(callId, known);
    return known;
  }
}

function refusal(answer: Answer): string {
  return "reason" in answer && answer.reason ? `The user refused: ${answer.reason}` : "The user refused.";
}
