/**
 * What a runtime in the same process says and is told. A runtime is an object with `onEvent` and `dispatch`; every event
 * carries the `runId` that the command of its run came with.
 */
export type AgentRuntime = {
  /** Gives the function that ends the subscription. */
  onEvent(listener: (event: RuntimeEvent) => void): () => void;
  /** May throw, or give a promise that rejects; when it resolves says nothing about the run. */
  dispatch(command: RuntimeCommand): unknown;
};

type Place = { readonly runId: string; readonly nodeId: string; readonly timestamp: number };
/** A flow is no node; it may say where it stands all the same. */
type FlowPlace = Omit<Place, "nodeId"> & { readonly nodeId?: string };

export type FlowEvent = FlowPlace &
  (
    | { readonly type: "flow:start"; readonly flowName?: string }
    | { readonly type: "flow:complete"; readonly status?: "completed" | "failed"; readonly error?: Failure }
    | { readonly type: "flow:paused" }
    | { readonly type: "flow:resumed" }
    | { readonly type: "flow:aborted" }
  );

export type NodeEvent = Place &
  (
    | { readonly type: "node:start" }
    | { readonly type: "node:complete"; readonly output?: unknown }
    | { readonly type: "node:error"; readonly error: Failure }
    | { readonly type: "node:skipped" }
  );

export type AgentEvent = Place &
  (
    | { readonly type: "agent:start" }
    | { readonly type: "agent:text"; readonly text: string }
    | { readonly type: "agent:text:delta"; readonly delta: string }
    | { readonly type: "agent:thinking"; readonly text: string }
    | { readonly type: "agent:thinking:delta"; readonly delta: string }
    | ({ readonly type: "agent:tool" } & ToolCall)
    | { readonly type: "agent:complete"; readonly result?: unknown; readonly usage?: Usage; readonly cost?: number }
    | { readonly type: "agent:error"; readonly error: Failure }
    /** With a `prompt` the agent waits for an answer, without one for leave to go on. */
    | { readonly type: "agent:paused"; readonly prompt?: string; readonly promptId?: string }
    | { readonly type: "agent:aborted" }
  );

/** What a flow says about its inner life; nobody is shown it. */
export type InnerEvent = FlowPlace & { readonly type: `edge:${string}` | `state:${string}` };

export type RuntimeEvent = FlowEvent | NodeEvent | AgentEvent | InnerEvent;

type ToolCall = {
  readonly toolName: string;
  readonly toolInput?: unknown;
  readonly toolOutput?: unknown;
  readonly error?: Failure;
};

export type Failure = string | { readonly message: string };

/** Counts by name, as the model's provider names them. */
export type Usage = Readonly<Record<string, number>>;

/** A message of the chat, as far as the transport looks at it. */
export type ChatMessage = {
  readonly id: string;
  readonly role: string;
  readonly parts: readonly { readonly type: string }[];
};

export type SendCommand<MESSAGE extends ChatMessage = ChatMessage> = {
  readonly type: "send";
  /** Chosen by the transport; the run's events carry it. */
  readonly runId: string;
  readonly chatId: string;
  readonly trigger: "submit-message" | "regenerate-message";
  readonly text: string;
  readonly message: MESSAGE;
};

export type RuntimeCommand =
  | SendCommand
  | {
      readonly type: "reply";
      readonly runId: string;
      readonly nodeId?: string;
      readonly promptId?: string;
      readonly text: string;
    }
  | { readonly type: "resume"; readonly runId: string; readonly nodeId?: string; readonly text?: string }
  | { readonly type: "abort"; readonly runId: string };

export type FlowStatus = "running" | "paused" | "completed" | "failed" | "aborted";

/** The data parts of a message: `UIMessage<RuntimeMetadata, RuntimeDataParts>` is the message's type in a client. */
export type RuntimeDataParts = {
  "flow-status": { status: FlowStatus; flowName?: string; nodeId?: string; prompt?: string };
  "node-output": { nodeId: string; output: unknown };
};

/** What a message says about itself: the sums over its agents, and how it ended where it did not end well. */
export type RuntimeMetadata = { usage?: Usage; cost?: number; canceled?: true; error?: string };
