import type { Answer } from "@agent-ops/shared/questions";
import type { AgentEvent } from "../../agent-client.ts";
import type { Asked, AskedItem, Permission } from "./events.ts";

type QuestionEvent = Extract<AgentEvent, { type: "question" }>;

/** What the server is told about something it asked. */
export interface Reply {
  path: string;
  body: Record<string, unknown>;
}

/** Something that OpenCode asked, and how an answer is told to it. */
export interface OpenQuestion {
  event: QuestionEvent;
  reply(answer: Answer): Reply;
  /** Nobody is going to answer. */
  reject: Reply;
}

type Call = { callId: string; toolName: string } | undefined;

/** A permission request as an approval of its call; `subagent` is whose call it is where it is not the agent's own. */
export function permissionQuestion(permission: Permission, call: Call, subagent?: string): OpenQuestion {
  const path = `/permission/${permission.id}/reply`;
  const asker = subagent === undefined ? "" : `The subagent "${subagent}" asks: `;
  return {
    event: {
      type: "question",
      questionId: permission.id,
      kind: "approval",
      prompt: asker + wish(permission),
      toolName: call?.toolName ?? permission.permission,
      ...(call ? { callId: call.callId } : {}),
    },
    reply(answer) {
      if (!("approved" in answer)) return { path, body: { reply: "reject" } };
      const { approved, always, reason } = answer;
      if (approved) return { path, body: { reply: always ? "always" : "once" } };
      // With a reason the agent goes on and takes it into account; without one it stops.
      return { path, body: { reply: "reject", ...(reason ? { message: reason } : {}) } };
    },
    reject: { path, body: { reply: "reject" } },
  };
}

function wish({ permission, patterns, metadata }: Permission): string {
  const { command, filepath, url } = metadata;
  if (permission === "bash" && typeof command === "string") return `Run this command? ${command}`;
  if (permission === "edit") return `Change ${typeof filepath === "string" ? filepath : patterns.join(", ")}?`;
  if (typeof url === "string") return `Open ${url}?`;
  return `Allow ${permission}${patterns.length > 0 ? ` (${patterns.join(", ")})` : ""}?`;
}

/** The question tool: one plain question is a choice or a text, anything more a form. */
export function toolQuestion({ id, questions }: Asked, call: Call): OpenQuestion {
  const about = {
    type: "question",
    questionId: id,
    ...(call ? { callId: call.callId, toolName: call.toolName } : {}),
  } as const;
  const reject = { path: `/question/${id}/reject`, body: {} };
  const answers = (lists: string[][]): Reply => ({ path: `/question/${id}/reply`, body: { answers: lists } });
  const [only] = questions;
  if (questions.length === 1 && only && !only.multiple) {
    return {
      event: { ...about, prompt: only.question, ...plain(only) },
      reply: (answer) => ("value" in answer ? answers([[answer.value]]) : reject),
      reject,
    };
  }
  return {
    event: { ...about, kind: "form", prompt: formPrompt(questions), schema: formSchema(questions) },
    reply(answer) {
      if (!("action" in answer) || answer.action !== "accept") return reject;
      return answers(questions.map((_, index) => chosen(answer.content?.[fieldName(index)])));
    },
    reject,
  };
}

function plain({ options }: AskedItem): Pick<QuestionEvent, "kind" | "options"> {
  if (options.length === 0) return { kind: "text" };
  return {
    kind: "choice",
    options: options.map(({ label, description }) => ({
      value: label,
      label,
      ...(description ? { description } : {}),
    })),
  };
}

function formPrompt(questions: AskedItem[]): string {
  return questions.map(({ question }) => question).join("\n");
}

function formSchema(questions: AskedItem[]): Record<string, unknown> {
  const names = questions.map((_, index) => fieldName(index));
  const properties = Object.fromEntries(questions.map((item, index) => [fieldName(index), field(item)]));
  return { type: "object", properties, required: names };
}

function field({ question, header, options, multiple }: AskedItem): Record<string, unknown> {
  const value = { type: "string", ...(options.length > 0 ? { enum: options.map(({ label }) => label) } : {}) };
  const about = { title: header ?? question, description: question };
  return multiple ? { type: "array", items: value, ...about } : { ...value, ...about };
}

function fieldName(index: number): string {
  return `answer${index + 1}`;
}

function chosen(value: unknown): string[] {
  if (value === undefined) return [];
  return [value].flat().map(String);
}
