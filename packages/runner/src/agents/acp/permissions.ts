import type { Answer, Question } from "@agent-ops/shared/questions";
import type { PermissionOption, PermissionRequest } from "./updates.ts";

export type PermissionOutcome = { outcome: "selected"; optionId: string } | { outcome: "cancelled" };

type Asked = Omit<Question, "questionId" | "turnId">;

const CANCELLED = { outcome: "cancelled" } as const;

/** Yes and no, once or for good, is an approval; anything else is a choice between what the agent offers. */
export function permissionQuestion({ toolCall, options }: PermissionRequest, toolName: string): Asked {
  const about = toolCall.title && toolCall.title !== toolName ? `${toolName}: ${toolCall.title}` : toolName;
  const prompt = `Allow ${about}?`;
  const call = { permits: true, callId: toolCall.toolCallId, toolName };
  if (isApproval(options)) return { kind: "approval", prompt, ...call };
  return { kind: "choice", prompt, ...call, options: options.map(choice) };
}

/** What the agent is told; `isRefusal` says that the call will not run. */
export function permissionOutcome(
  options: readonly PermissionOption[],
  answer: Answer,
): { outcome: PermissionOutcome; isRefusal: boolean } {
  const option =
    "value" in answer ? options.find(({ optionId }) => optionId === answer.value) : wanted(options, answer);
  if (!option) return { outcome: CANCELLED, isRefusal: true };
  return { outcome: { outcome: "selected", optionId: option.optionId }, isRefusal: option.kind.startsWith("reject") };
}

function choice({ optionId, name, kind }: PermissionOption): { value: string; label: string; always?: boolean } {
  return { value: optionId, label: name, ...(kind === "allow_always" ? { always: true } : {}) };
}

function isApproval(options: readonly PermissionOption[]): boolean {
  const kinds = options.map(({ kind }) => kind);
  const known = ["allow_once", "allow_always", "reject_once", "reject_always"];
  const areTold = kinds.every((kind, index) => known.includes(kind) && kinds.indexOf(kind) === index);
  return areTold && kinds.some((kind) => kind.startsWith("allow")) && kinds.some((kind) => kind.startsWith("reject"));
}

/** "Always" where the agent has it, and once where it has not. */
function wanted(options: readonly PermissionOption[], answer: Answer): PermissionOption | undefined {
  if (!("approved" in answer)) return undefined;
  const verb = answer.approved ? "allow" : "reject";
  const order = answer.always ? [`${verb}_always`, `${verb}_once`] : [`${verb}_once`, `${verb}_always`];
  return order.flatMap((wish) => options.filter(({ kind }) => kind === wish))[0];
}
