import { z } from "zod";

const option = z.object({
  value: z.string(),
  label: z.string(),
  description: z.string().optional(),
  /** Of a question that permits something: whether this option permits it for all times to come. */
  always: z.boolean().optional(),
});

/** A question an agent puts to people; it stays open until answered, expired or its turn ends. */
export const question = z.object({
  questionId: z.string().min(1).max(128),
  turnId: z.string().min(1).max(128),
  kind: z.enum(["approval", "choice", "text", "form"]),
  prompt: z.string(),
  /** The answer lets something happen, whatever the kind; an approval always does. */
  permits: z.boolean().optional(),
  callId: z.string().optional(),
  toolName: z.string().optional(),
  options: z.array(option).optional(),
  /** JSON Schema of a form. */
  schema: z.record(z.string(), z.unknown()).optional(),
  expiresAt: z.number().optional(),
});
export type Question = z.infer<typeof question>;

const approvalAnswer = z.object({
  approved: z.boolean(),
  reason: z.string().optional(),
  always: z.boolean().optional(),
});
const valueAnswer = z.object({ value: z.string() });
const formAnswer = z.object({
  action: z.enum(["accept", "decline", "cancel"]),
  content: z.record(z.string(), z.unknown()).optional(),
});

export const answer = z.union([approvalAnswer, valueAnswer, formAnswer]);
export type Answer = z.infer<typeof answer>;

/** Reads an answer as the kind of question demands; undefined where it does not fit. */
export function parseAnswer(asked: Question, raw: unknown): Answer | undefined {
  switch (asked.kind) {
    case "approval":
      return approvalAnswer.safeParse(raw).data;
    case "form":
      return formAnswer.safeParse(raw).data;
    case "text":
      return valueAnswer.safeParse(raw).data;
    case "choice": {
      const parsed = valueAnswer.safeParse(raw).data;
      const known = asked.options?.some((entry) => entry.value === parsed?.value) ?? true;
      return known ? parsed : undefined;
    }
    default:
      return asked.kind satisfies never;
  }
}

/** ACL11: what an agent may do is not for everybody to say. */
export function isPermission({ kind, permits }: Question): boolean {
  return kind === "approval" || permits === true;
}

/** ACL12 */
export function permitsAlways(asked: Question, given: Answer): boolean {
  if ("approved" in given) return given.approved && given.always === true;
  if (!isPermission(asked) || !("value" in given)) return false;
  return asked.options?.some(({ value, always }) => value === given.value && always === true) ?? false;
}

export const questionResolution = z.object({
  outcome: z.enum(["answered", "expired", "turn-ended"]),
  answer: answer.optional(),
  by: z.string().optional(),
});
export type QuestionResolution = z.infer<typeof questionResolution>;

/** A question together with what became of it, once it is no longer open. */
export const askedQuestion = question.extend({ resolution: questionResolution.optional() });
export type AskedQuestion = z.infer<typeof askedQuestion>;
