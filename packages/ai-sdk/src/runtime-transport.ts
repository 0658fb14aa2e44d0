import type { UIChunk } from "@agent-ops/shared/ai-sdk";
import { RunDesk } from "./run-desk.ts";
import type { AgentRuntime, ChatMessage, RuntimeEvent, SendCommand } from "./runtime-events.ts";

export type RuntimeTransportOptions<MESSAGE extends ChatMessage = ChatMessage> = {
  /** Whether the agents' thinking is part of the message; it is. */
  reasoning?: boolean;
  /** Whether each node is a step of the message; it is. */
  steps?: boolean;
  /** Whether the flow's status and the nodes' outputs are data parts of the message; they are. */
  dataParts?: boolean | { flowStatus?: boolean; nodeOutput?: boolean };
  /** Told of events that nothing was done with: of a type we do not know, or of a run that is not going here. */
  onUnknownEvent?: (event: RuntimeEvent, reason: "unknown-type" | "unknown-run") => void;
  /** The command that starts a run, made from the message and from the command that would be sent otherwise. */
  command?: (draft: SendCommand<MESSAGE>, request: SendRequest<MESSAGE>) => SendCommand;
  /** How long the runtime may say nothing about a message before it counts as not started: 30 s. 0 is for ever. */
  startTimeoutMs?: number;
  /**
   * How long after its abort signal a run is kept for somebody who reconnects. A client that unmounts may abort just as
   * one that stops, so a page that wants to come back gives it some time. 0, the default, is the next task.
   */
  graceMs?: number;
};

export type SendRequest<MESSAGE extends ChatMessage = ChatMessage> = {
  readonly trigger: "submit-message" | "regenerate-message";
  readonly chatId: string;
  readonly messageId: string | undefined;
  readonly messages: readonly MESSAGE[];
  readonly abortSignal: AbortSignal | undefined;
  readonly body?: object;
  readonly metadata?: unknown;
};

/** A `ChatTransport` of the AI SDK, and what that has no word for. */
export type RuntimeTransport<MESSAGE extends ChatMessage = ChatMessage> = {
  readonly resumeStreamIsReplay: true;
  sendMessages(request: SendRequest<MESSAGE>): Promise<ReadableStream<UIChunk>>;
  reconnectToStream(request: {
    chatId: string;
    abortSignal?: AbortSignal | undefined;
  }): Promise<ReadableStream<UIChunk> | null>;
  /** Stops the chat's run at once, grace or not. */
  abort(chatId: string): void;
  /** Stops every run. */
  close(): void;
};

export function createRuntimeTransport<MESSAGE extends ChatMessage = ChatMessage>(
  runtime: AgentRuntime,
  options: RuntimeTransportOptions<MESSAGE> = {},
): RuntimeTransport<MESSAGE> {
  const desk = new RunDesk(runtime, options);
  return {
    resumeStreamIsReplay: true,
    sendMessages: async (request) => desk.send(request),
    reconnectToStream: async ({ chatId, abortSignal }) => desk.running(chatId)?.read(abortSignal) ?? null,
    abort: (chatId) => desk.abort(desk.running(chatId)),
    close: () => desk.close(),
  };
}
