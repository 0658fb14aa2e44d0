import { AppError } from "@agent-ops/shared/errors";
import { LIMITS } from "@agent-ops/shared/limits";
import { type Answer, parseAnswer, type Question } from "@agent-ops/shared/questions";
import { z } from "zod";
import { fitsIn } from "../../lib/utf8-length.ts";

const TOLD_PROBLEMS = 5;

/** Q3: the answer as the question wants it, or an error that says what does not fit. */
export function checkAnswer(asked: Question, raw: unknown): Answer {
  const answer = parseAnswer(asked, raw);
  if (answer && !fitsIn(LIMITS.answerBytes, JSON.stringify(answer))) {
    throw new AppError("too_large", `An answer has at most ${LIMITS.answerBytes} bytes as JSON.`);
  }
  if (!answer) throw new AppError("bad_answer", `That does not answer a question of kind "${asked.kind}".`);
  if (!("action" in answer) || answer.action !== "accept" || !asked.schema) return answer;
  const problems = problemsOf(asked.schema, answer.content ?? {});
  if (problems.length === 0) return answer;
  throw new AppError("bad_answer", `The form is not filled in as asked. ${problems.slice(0, TOLD_PROBLEMS).join(" ")}`);
}

/** What is wrong with a form's content, field by field. A schema that cannot be read is the agent's to check. */
function problemsOf(schema: Record<string, unknown>, content: Record<string, unknown>): string[] {
  try {
    const registry = z.registry<Record<string, unknown>>();
    const parsed = z.fromJSONSchema(checkable(schema), { registry }).safeParse(content);
    return (parsed.error?.issues ?? []).map(({ path, message }) => `${path.join(".") || "form"}: ${message}.`);
  } catch {
    return [];
  }
}

type Schema = Parameters<typeof z.fromJSONSchema>[0];

/**
 * The schema without what an agent could keep the session busy with: patterns that take for ever, and references that
 * multiply. The agent checks those itself.
 */
function checkable(schema: Record<string, unknown>): Schema {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key === "pattern" && typeof value === "string") return undefined;
    if (key === "patternProperties") return undefined;
    return typeof value === "object" && value !== null && "$ref" in value ? true : value;
  });
}
