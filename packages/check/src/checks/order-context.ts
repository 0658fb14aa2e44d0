import type { StreamChunk } from "@agent-ops/ai-sdk/stream-checker";

const BLOCK = /^(text|reasoning)-(start|delta|end)$/;

function blockOf({ type, id }: StreamChunk): { name: string; verb: string } | undefined {
  const [, kind, verb] = BLOCK.exec(type) ?? [];
  return kind === undefined || verb === undefined ? undefined : { name: `${kind} ${String(id)}`, verb };
}

/** The blocks that are open before the chunk at `index`. */
function openBlocks(chunks: readonly StreamChunk[], index: number): Set<string> {
  const open = new Set<string>();
  for (const chunk of chunks.slice(0, index)) {
    const block = blockOf(chunk);
    if (block?.verb === "start") open.add(block.name);
    else if (block?.verb === "end") open.delete(block.name);
  }
  return open;
}

/** The chunk at `index` starts a block that is open already. */
export function isRestart(chunks: readonly StreamChunk[], index: number): boolean {
  const chunk = chunks[index];
  const block = chunk && blockOf(chunk);
  return block?.verb === "start" && openBlocks(chunks, index).has(block.name);
}

/** Blocks that are open at `index` and get more text behind it. */
export function interruptedBlocks(chunks: readonly StreamChunk[], index: number): string[] {
  const later = chunks.slice(index + 1).map(blockOf);
  return [...openBlocks(chunks, index)].filter((name) => {
    const next = later.find((block) => block?.name === name);
    return next?.verb === "delta";
  });
}

/** The client knows the call that the chunk at `index` speaks of. */
export function isAnnounced(chunks: readonly StreamChunk[], index: number): boolean {
  const chunk = chunks[index];
  const types = chunk?.type === "tool-input-delta" ? /^tool-input-start$/ : /^tool-input-(?:start|available|error)$/;
  return chunks.slice(0, index).some(({ type, toolCallId }) => types.test(type) && toolCallId === chunk?.toolCallId);
}

type Call = "streaming" | "client" | "server" | "partial" | "ended";

/** Calls that will never be heard of again, with what they wait for. */
export function openCalls(chunks: readonly StreamChunk[]): string[] {
  const calls = new Map<string, Call>();
  for (const chunk of chunks) {
    const call = callAfter(chunk);
    if (call) calls.set(String(chunk.toolCallId), call);
  }
  return [...calls].flatMap(([id, call]) => {
    if (call === "streaming") return [`${id} (its input never ended)`];
    if (call === "server") return [`${id} (no output)`];
    return call === "partial" ? [`${id} (only preliminary output)`] : [];
  });
}

function callAfter({ type, providerExecuted, preliminary }: StreamChunk): Call | undefined {
  switch (type) {
    case "tool-input-start":
      return "streaming";
    case "tool-input-available":
      return providerExecuted === true ? "server" : "client";
    case "tool-output-available":
      return preliminary === true ? "partial" : "ended";
    case "tool-approval-request":
    case "tool-input-error":
    case "tool-output-error":
    case "tool-output-denied":
      return "ended";
    default:
      return undefined;
  }
}
