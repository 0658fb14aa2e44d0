import { AppError } from "@agent-ops/shared/errors";
import type { LogEvent, LogPayload, RunnerEvent } from "@agent-ops/shared/events";
import type { RunnerCommand } from "@agent-ops/shared/frames";
import { type Answer, permitsAlways, type Question, type QuestionResolution } from "@agent-ops/shared/questions";
import { checkAnswer } from "./answer-check.ts";
import { type Act, auditEvent } from "./audit.ts";
import type { DeskTools } from "./desk-tools.ts";
import type { StoredQuestion } from "./question-table.ts";

const UNANSWERED = "Nobody answered in time.";
const TURN_ENDED = { outcome: "turn-ended" } as const;

/** Q1 to Q4: keeps what an agent asks people until it is answered, and tells the agent what became of it. */
export class QuestionDesk {
  #tools: DeskTools;
  #onResolved: () => void;

  constructor(tools: DeskTools, onResolved: () => void) {
    this.#tools = tools;
    this.#onResolved = onResolved;
  }

  /** Stored before it is shown; `write` gets the event of the log. */
  ask(event: Extract<RunnerEvent, { type: "question" }>, write: (logged: LogEvent) => void): void {
    const { journal, store } = this.#tools;
    journal.appendStored([event], ([logged]) => {
      store.questions.add(event);
      if (logged) write(logged);
    });
  }

  /** The first valid answer wins. */
  answer(user: string, questionId: string, raw: unknown): Answer {
    const found = this.#tools.store.questions.get(questionId);
    if (!found) throw new AppError("not_found", "There is no such question.");
    if (found.resolution) throw new AppError("already_answered", describe(found.resolution));
    const answer = checkAnswer(found.question, raw);
    const audit = auditEvent(this.#tools.ports.clock.now(), actOf(user, found.question, answer));
    this.#resolve(found.question, { outcome: "answered", answer, by: user }, [audit]);
    return answer;
  }

  /** Q4: the agent must not wait for ever either. Whether the question was still open. */
  expire(questionId: string): boolean {
    const found = this.#tools.store.questions.get(questionId);
    if (!found || found.resolution) return false;
    this.#resolve(found.question, { outcome: "expired" }, []);
    return true;
  }

  /** What a runner that was away may have missed. */
  answersOf(turnId: string): RunnerCommand[] {
    return this.#tools.store.questions.ofTurn(turnId).flatMap(commandsFor);
  }

  /** Q1: the turn ends, and with it what is still open. */
  closing(turnId: string): { events: LogPayload[]; write(): void } {
    const { questions } = this.#tools.store;
    const open = questions.openOf(turnId).map(({ questionId }) => questionId);
    return {
      events: open.map((questionId) => ({ type: "question.resolved", questionId, turnId, ...TURN_ENDED })),
      write: () => {
        for (const questionId of open) questions.resolve(questionId, TURN_ENDED);
      },
    };
  }

  #resolve(question: Question, resolution: QuestionResolution, events: LogPayload[]): void {
    const { journal, store, runner } = this.#tools;
    const { questionId, turnId } = question;
    const resolved: LogPayload = { type: "question.resolved", questionId, turnId, ...resolution };
    journal.appendStored([resolved, ...events], () => store.questions.resolve(questionId, resolution));
    for (const command of commandsFor({ question, resolution })) runner.send(command);
    this.#onResolved();
  }
}

/** ACL12: what was allowed for all times to come is told apart. */
function actOf(userId: string, question: Question, answer: Answer): Act {
  const { questionId, toolName } = question;
  if (permitsAlways(question, answer)) return { userId, action: "approve-always", detail: toolName ?? questionId };
  return { userId, action: "answer", detail: questionId };
}

function commandsFor({ question, resolution }: StoredQuestion): RunnerCommand[] {
  const { questionId, turnId } = question;
  const answer = resolution && answerFor(question, resolution);
  return answer ? [{ type: "answer", turnId, questionId, answer }] : [];
}

/** What the agent is told; nothing where its turn has ended. */
function answerFor({ kind }: Question, { outcome, answer }: QuestionResolution): Answer | undefined {
  if (outcome !== "expired") return answer;
  return kind === "approval" ? { approved: false, reason: UNANSWERED } : { action: "cancel" };
}

function describe({ outcome, by, answer }: QuestionResolution): string {
  if (outcome === "answered") return `${by ?? "Somebody"} has already answered: ${JSON.stringify(answer)}`;
  return outcome === "expired" ? "The question has expired." : "The turn that asked has ended.";
}
