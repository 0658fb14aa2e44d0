import type { Failure } from "./runtime-events.ts";

/** What people read when something went wrong. */

export function textOf(failure: unknown): string {
  if (typeof failure === "string") return failure;
  if (typeof failure === "object" && failure !== null && "message" in failure) return String(failure.message);
  return "";
}

type Failed =
  | { type: "flow:complete"; error?: Failure }
  | { type: "node:error" | "agent:error"; nodeId: string; error: Failure };

export function failureText(event: Failed, flowName?: string): string {
  return withReason(whatFailed(event, flowName), event.error);
}

function whatFailed(event: Failed, flowName: string | undefined): string {
  switch (event.type) {
    case "flow:complete":
      return flowName === undefined ? "The flow failed" : `The flow "${flowName}" failed`;
    case "node:error":
      return `The step "${event.nodeId}" failed`;
    case "agent:error":
      return `The agent of "${event.nodeId}" failed`;
    default:
      return event satisfies never;
  }
}

function withReason(what: string, failure: unknown): string {
  const reason = textOf(failure);
  return reason === "" ? `${what}.` : `${what}: ${reason}`;
}

export const NO_MESSAGE = "There is no message to send.";

export function refusedText(error: unknown): string {
  return withReason("The agent runtime did not take the message", error);
}

export function brokenText(error: unknown): string {
  return withReason("The agent runtime failed", error);
}

export function unheardText(error: unknown): string {
  return withReason("The agent runtime cannot be listened to", error);
}

export function untoldText(error: unknown): string {
  return withReason("An event of the agent runtime could not be shown", error);
}

export function silentText(seconds: number): string {
  return `The agent runtime said nothing about this message for ${seconds} s. Has it been started?`;
}
