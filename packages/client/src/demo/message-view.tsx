import type { RuntimeDataParts, RuntimeMetadata } from "@agent-ops/ai-sdk/runtime-events";
import type { UIMessage } from "ai";

/** The transport's data parts and metadata are typed in the message. */
export type DemoMessage = UIMessage<RuntimeMetadata, RuntimeDataParts>;

type Part = DemoMessage["parts"][number];

export function MessageView({ message }: { message: DemoMessage }) {
  const mine = message.role === "user";
  return (
    <li
      data-testid={mine ? "user-message" : "agent-message"}
      className={mine ? "self-end rounded-2xl rounded-br-md bg-raised px-3.5 py-2" : "space-y-2.5"}
    >
      {message.parts.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a message's parts keep their places
        <PartView key={at} part={part} node={part.type === "step-start" ? nodeOf(message, at) : undefined} />
      ))}
      <Footer metadata={message.metadata} />
    </li>
  );
}

/** The node whose step begins there; its output says so once it is done. */
function nodeOf({ parts }: DemoMessage, at: number): string | undefined {
  const next = parts.findIndex((part, place) => place > at && part.type === "step-start");
  const own = parts.slice(at, next === -1 ? undefined : next);
  return own.find((part) => part.type === "data-node-output")?.data.nodeId;
}

function PartView({ part, node }: { part: Part; node: string | undefined }) {
  switch (part.type) {
    case "text":
      return <p data-testid="text">{part.text}</p>;
    case "reasoning":
      return (
        <p data-testid="reasoning" className="border-l-2 border-line pl-3 text-sm text-ink-muted">
          {part.text}
        </p>
      );
    case "step-start":
      return (
        <h3 data-testid="step" className="border-t border-line pt-2.5 text-xs font-medium text-ink-muted">
          {node ?? "at work…"}
        </h3>
      );
    case "dynamic-tool":
      return <ToolView part={part} />;
    case "data-flow-status":
      return <StatusView {...part.data} />;
    case "data-node-output":
      return (
        <p data-testid="node-output" className="font-mono text-xs text-ink-muted">
          gave {JSON.stringify(part.data.output)}
        </p>
      );
    default:
      return null;
  }
}

const STATUS_LOOKS = {
  running: "text-accent",
  paused: "text-warn",
  completed: "text-good",
  failed: "text-bad",
  aborted: "text-ink-muted",
} as const;

function StatusView({ status, flowName, prompt }: RuntimeDataParts["flow-status"]) {
  return (
    <div data-testid="flow-status" data-status={status} className="text-sm">
      <span className={`font-medium ${STATUS_LOOKS[status]}`}>{status}</span>
      <span className="text-ink-muted"> · flow “{flowName}”</span>
      {prompt !== undefined && <p className="mt-1 font-medium">{prompt}</p>}
    </div>
  );
}

function ToolView({ part }: { part: Extract<Part, { type: "dynamic-tool" }> }) {
  return (
    <div
      data-testid="tool"
      data-state={part.state}
      className="space-y-0.5 rounded-xl border border-line bg-surface px-3 py-2 font-mono text-xs wrap-anywhere"
    >
      <p className="font-medium">{part.toolName}</p>
      <p className="text-ink-muted">{JSON.stringify(part.input)}</p>
      {part.state === "output-available" && <p>{JSON.stringify(part.output)}</p>}
      {part.state === "output-error" && <p className="text-bad">{part.errorText}</p>}
    </div>
  );
}

function Footer({ metadata }: { metadata: RuntimeMetadata | undefined }) {
  if (metadata?.canceled) return <p className="text-sm text-ink-muted">Stopped.</p>;
  if (metadata?.usage === undefined) return null;
  return (
    <p data-testid="usage" className="text-xs text-ink-muted tabular-nums">
      {metadata.usage.outputTokens ?? 0} words, {(metadata.cost ?? 0).toFixed(4)} coins
    </p>
  );
}
