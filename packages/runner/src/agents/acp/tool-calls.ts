import type { AgentEvent } from "../../agent-client.ts";
import type { ContentBlock, ToolCall, ToolContent } from "./updates.ts";

type ToolUpdate = Extract<AgentEvent, { type: "message.part.tool-update" }>;
type Status = ToolUpdate["status"];

const STATUSES = { pending: "pending", in_progress: "running", completed: "completed", failed: "error" } as const;
/** A title that is a tool's name and not a sentence, a command or a file. */
const IDENTIFIER = /^[A-Za-z]\w*$/;
const FAILED = "The tool failed.";
const REFUSED = "The user refused";

/** What is known of one call: agents send only what changed. */
interface Call {
  toolName: string;
  status: Status;
  args: unknown;
  argsJson: string;
  /** What people have been asked about does not change any more. */
  isAsked: boolean;
  content: readonly ToolContent[];
  rawOutput: unknown;
  locations: readonly unknown[];
  terminal: string;
  exitCode: number | undefined;
}

/** The calls of one turn, told as updates. */
export class ToolCalls {
  #calls = new Map<string, Call>();
  #ended = 0;

  get ended(): number {
    return this.#ended;
  }

  get open(): number {
    return this.#calls.size - this.#ended;
  }

  nameOf(callId: string): string {
    return this.#calls.get(callId)?.toolName ?? "tool";
  }

  update(change: ToolCall): ToolUpdate[] {
    const callId = change.toolCallId;
    const before = this.#calls.get(callId);
    if (before && hasEnded(before.status)) return [];
    const call = merge(before, change);
    this.#calls.set(callId, call);
    if (hasEnded(call.status)) this.#ended += 1;
    if (before && sameSigns(before, call)) return [];
    return [tell(callId, before, call)];
  }

  /** A call that needs a permission may not have been told before; people see all that the agent says of it. */
  ask(request: ToolCall): ToolUpdate[] {
    const known = this.#calls.get(request.toolCallId)?.args;
    const rawInput = { ...describe(request), ...(isRecord(known) ? known : {}) };
    const events = this.update({ ...request, rawInput, status: "in_progress", content: undefined });
    const call = this.#calls.get(request.toolCallId);
    if (call) this.#calls.set(request.toolCallId, { ...call, isAsked: true });
    return events;
  }

  refuse(callId: string, reason?: string): ToolUpdate[] {
    const call = this.#calls.get(callId);
    if (!call || hasEnded(call.status)) return [];
    return [this.#fail(callId, call, reason ? `${REFUSED}: ${reason}` : `${REFUSED}.`)];
  }

  /** What the agent left open when its turn ended. */
  close(error: string): ToolUpdate[] {
    const open = [...this.#calls].filter(([, { status }]) => !hasEnded(status));
    return open.map(([callId, call]) => this.#fail(callId, call, error));
  }

  #fail(callId: string, call: Call, error: string): ToolUpdate {
    this.#calls.set(callId, { ...call, status: "error" });
    this.#ended += 1;
    return { type: "message.part.tool-update", callId, toolName: call.toolName, status: "error", error };
  }
}

function hasEnded(status: Status): boolean {
  return status === "completed" || status === "error";
}

function merge(before: Call | undefined, change: ToolCall): Call {
  const args = before?.isAsked || isEmpty(change.rawInput) ? before?.args : change.rawInput;
  const notes = change._meta;
  const output = notes?.terminal_output_delta?.data ?? notes?.terminal_output?.data ?? "";
  return {
    toolName: before?.toolName ?? toolName(change),
    status: change.status ? STATUSES[change.status] : (before?.status ?? "pending"),
    args,
    argsJson: args === undefined ? "" : JSON.stringify(args),
    isAsked: before?.isAsked ?? false,
    content: change.content ?? before?.content ?? [],
    rawOutput: change.rawOutput ?? before?.rawOutput,
    locations: change.locations?.length ? change.locations : (before?.locations ?? []),
    terminal: (before?.terminal ?? "") + output,
    exitCode: notes?.terminal_exit?.exit_code ?? before?.exitCode,
  };
}

function toolName({ name, title, kind, _meta }: ToolCall): string {
  const named = name ?? _meta?.claudeCode?.toolName;
  if (named) return named;
  return title && IDENTIFIER.test(title) ? title : (kind ?? "tool");
}

function describe({ rawInput, title, content }: ToolCall): Record<string, unknown> {
  if (isRecord(rawInput) && !isEmpty(rawInput)) return rawInput;
  const changes = (content ?? []).filter(({ type }) => type === "diff");
  return { ...(title ? { title } : {}), ...(changes.length > 0 ? { changes } : {}) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}

/** Whether a change tells people nothing new. */
function sameSigns(before: Call, now: Call): boolean {
  return (
    before.status === now.status &&
    before.argsJson === now.argsJson &&
    JSON.stringify(before.content) === JSON.stringify(now.content) &&
    before.terminal === now.terminal
  );
}

function tell(callId: string, before: Call | undefined, call: Call): ToolUpdate {
  const { toolName: name, status, args, argsJson } = call;
  const update: ToolUpdate = { type: "message.part.tool-update", callId, toolName: name, status };
  if (args !== undefined && argsJson !== before?.argsJson) update.args = args;
  if (status === "error") return { ...update, error: errorText(call) };
  if (status === "completed") return { ...update, result: resultOf(call) };
  const progressed = status === "running" && (call.content.some(hasSubstance) || call.terminal !== "");
  return progressed ? { ...update, result: resultOf(call), preliminary: true } : update;
}

function hasSubstance({ type }: ToolContent): boolean {
  return type !== "terminal";
}

/** Shaped as an MCP result is, with what the agent gave beside it. */
function resultOf({ content, rawOutput, locations, terminal, exitCode }: Call): Record<string, unknown> {
  const ending = exitCode === undefined ? {} : { exitCode };
  const blocks = content.map((entry) => {
    if (entry.type === "content" && entry.content) return entry.content;
    return entry.type === "terminal" ? { ...entry, output: terminal, ...ending } : entry;
  });
  return {
    content: blocks,
    ...(isEmpty(rawOutput) ? {} : { rawOutput }),
    ...(locations.length > 0 ? { locations } : {}),
  };
}

function errorText({ content, rawOutput, terminal }: Call): string {
  const said = content.flatMap((entry) => (entry.content ? [textOf(entry.content)] : [])).filter(Boolean);
  if (said.length > 0) return said.join("\n");
  if (typeof rawOutput === "string" && rawOutput) return rawOutput;
  return terminal || FAILED;
}

/** A block as the text that people can read of it. */
export function textOf(block: ContentBlock): string {
  if (block.text !== undefined) return block.text;
  if (block.type === "resource_link") return `[${String(block.name ?? block.uri)}](${String(block.uri)})`;
  const { resource } = block;
  const inner = typeof resource === "object" && resource !== null && "text" in resource ? resource.text : undefined;
  return typeof inner === "string" ? inner : "";
}
