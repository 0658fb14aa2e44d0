import { randomUUID } from "node:crypto";
import type { DemoEvent } from "./messages.ts";

type ToolEvent = Extract<DemoEvent, { type: "message.part.tool-update" }>;
type Update = Omit<ToolEvent, "type" | "callId" | "toolName">;

/** One call of a tool, as the updates that tell it. */
export class ToolCall {
  readonly callId = randomUUID();
  readonly toolName: string;

  constructor(toolName: string) {
    this.toolName = toolName;
  }

  pending(argsDelta?: string): ToolEvent {
    return this.#update({ status: "pending", ...(argsDelta === undefined ? {} : { argsDelta }) });
  }

  running(args: unknown): ToolEvent {
    return this.#update({ status: "running", args });
  }

  progressed(result: unknown): ToolEvent {
    return this.#update({ status: "running", result, preliminary: true });
  }

  completed(result: unknown): ToolEvent {
    return this.#update({ status: "completed", result });
  }

  failed(error: string): ToolEvent {
    return this.#update({ status: "error", error });
  }

  #update(update: Update): ToolEvent {
    return { type: "message.part.tool-update", callId: this.callId, toolName: this.toolName, ...update };
  }
}
