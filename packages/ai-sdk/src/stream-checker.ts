/** A chunk as any server may send it. */
export type StreamChunk = { readonly type: string; readonly [key: string]: unknown };

export type ProblemCode =
  | "start"
  | "block"
  | "open-block"
  | "step"
  | "outside-step"
  | "tool"
  | "open-tool"
  | "after-end"
  | "no-end";

export type Problem = { readonly index: number; readonly code: ProblemCode; readonly message: string };

type ToolCheck = { phase: "streaming" | "input" | "partial" | "approval" | "ended"; step: number };

type Check = {
  phase: "new" | "open" | "suspended" | "ended";
  messageId?: unknown;
  /** Nothing but the calls of earlier streams was spoken of since the message was taken up again. */
  resuming: boolean;
  steps: number;
  stepOpen: boolean;
  readonly blocks: Set<string>;
  readonly data: Set<string>;
  readonly tools: Map<unknown, ToolCheck>;
  readonly report: (code: ProblemCode, message: string) => void;
};

/**
 * What the chunks' own schema cannot say: their order. Where the stream takes up a message that an approval
 * interrupted, `before` is what came in the streams before it.
 */
export function checkStream(chunks: readonly StreamChunk[], before: readonly StreamChunk[] = []): Problem[] {
  const problems: Problem[] = [];
  let index = 0 - before.length;
  const check: Check = {
    phase: "new",
    resuming: false,
    steps: 0,
    stepOpen: false,
    blocks: new Set(),
    data: new Set(),
    tools: new Map(),
    report: (code, message) => problems.push({ index, code, message }),
  };
  for (const chunk of [...before, ...chunks]) {
    checkChunk(check, chunk);
    index += 1;
  }
  if (check.phase === "new" || check.phase === "open")
    check.report("no-end", "the stream has neither finish nor error");
  return problems.filter((problem) => problem.index >= 0);
}

function checkChunk(check: Check, chunk: StreamChunk): void {
  const { type } = chunk;
  if (type === "start") {
    checkStart(check, chunk);
  } else if (type.startsWith("data-") && chunk.transient === true) {
    checkOpen(check, type, ["new", "open"]);
  } else {
    checkOpen(check, type, ["open"]);
    checkPart(check, chunk);
  }
}

function checkPart(check: Check, chunk: StreamChunk): void {
  const { type } = chunk;
  const block = /^(text|reasoning)-(?:start|delta|end)$/.exec(type);
  if (type === "tool-approval-response" || type === "abort" || type === "message-metadata") return;
  if (block) checkBlock(check, `${block[1]} ${String(chunk.id)}`, type);
  else if (type.startsWith("tool-input-")) checkInput(check, chunk);
  else if (type.startsWith("tool-")) checkTool(check, chunk);
  else if (type === "start-step" || type === "finish-step") checkStep(check, type);
  else if (type === "finish" || type === "error") checkEnd(check, chunk);
  else if (type.startsWith("data-")) checkData(check, chunk);
  else checkContent(check, type);
}

/** One that was told before is replaced in its place, and disturbs nothing. */
function checkData(check: Check, { type, id }: StreamChunk): void {
  const known = id !== undefined && check.data.has(`${type} ${String(id)}`);
  check.data.add(`${type} ${String(id)}`);
  if (!known) checkClosed(check, type);
}

function checkOpen(check: Check, type: string, phases: readonly Check["phase"][]): void {
  if (phases.includes(check.phase)) return;
  if (check.phase === "new") check.report("start", `${type} comes before start`);
  else check.report("after-end", `${type} comes after the end`);
}

function checkStart(check: Check, chunk: StreamChunk): void {
  if (check.phase === "open") check.report("start", "a second start");
  if (check.phase === "ended") check.report("after-end", "start comes after the end");
  if (check.phase === "suspended" && chunk.messageId !== check.messageId) {
    check.report("start", "the message goes on under another id");
  }
  check.resuming = check.phase === "suspended";
  check.messageId = chunk.messageId;
  check.phase = "open";
}

function checkBlock(check: Check, block: string, type: string): void {
  const open = check.blocks.has(block);
  if (type.endsWith("-start")) {
    checkContent(check, type);
    check.blocks.add(block);
  } else if (!open) {
    check.report("block", `${type} for ${block}, which is not open`);
  } else if (type.endsWith("-end")) {
    check.blocks.delete(block);
  }
}

/** Text that goes on behind a tool or a step loses its place among them. */
function checkContent(check: Check, type: string): void {
  checkClosed(check, type);
  if (!check.stepOpen) check.report("outside-step", `${type} comes outside a step`);
}

function checkClosed(check: Check, type: string): void {
  for (const block of check.blocks) check.report("open-block", `${type} comes while ${block} is open`);
}

function checkStep(check: Check, type: "start-step" | "finish-step"): void {
  const opens = type === "start-step";
  if (opens === check.stepOpen) check.report("step", `${type} comes while a step is ${opens ? "open" : "closed"}`);
  checkClosed(check, type);
  if (opens) {
    check.steps += 1;
    check.resuming = false;
  } else {
    for (const [id, tool] of check.tools) {
      if (tool.phase === "streaming") check.report("open-tool", `the input of ${String(id)} is open at finish-step`);
    }
  }
  check.stepOpen = opens;
}

function checkEnd(check: Check, chunk: StreamChunk): void {
  const suspends = chunk.type === "finish" && chunk.finishReason === "tool-calls" && isWaiting(check);
  checkClosed(check, chunk.type);
  if (chunk.type === "finish" && check.stepOpen) check.report("step", "finish comes while a step is open");
  for (const [id, tool] of check.tools) {
    const left = suspends ? tool.step === check.steps && tool.phase !== "approval" : true;
    if (left && tool.phase !== "ended") check.report("open-tool", `${String(id)} has no end`);
  }
  check.phase = suspends ? "suspended" : "ended";
}

function isWaiting(check: Check): boolean {
  return [...check.tools.values()].some((tool) => tool.phase === "approval");
}

function checkInput(check: Check, { type, toolCallId }: StreamChunk): void {
  const tool = check.tools.get(toolCallId);
  const call = String(toolCallId);
  checkClosed(check, type);
  if (type === "tool-input-delta") {
    if (tool?.phase !== "streaming") check.report("tool", `${type} for ${call}, whose input is not open`);
    return;
  }
  if (tool) checkKnownInput(check, tool, `${type} for ${call}`);
  else checkContent(check, type);
  if (tool && type === "tool-input-start") check.report("tool", `${call} starts twice`);
  const phase = type === "tool-input-start" ? "streaming" : type === "tool-input-error" ? "ended" : "input";
  check.tools.set(toolCallId, { phase, step: tool?.step ?? check.steps });
}

function checkKnownInput(check: Check, tool: ToolCheck, what: string): void {
  if (tool.phase === "ended" && !check.resuming) check.report("tool", `${what}, which has ended`);
  if (tool.step !== check.steps)
    check.report("tool", `${what}, which is of an earlier step: it would be a second part`);
}

function checkTool(check: Check, chunk: StreamChunk): void {
  const { type, toolCallId } = chunk;
  const tool = check.tools.get(toolCallId);
  checkClosed(check, type);
  if (!tool || tool.phase === "streaming") {
    check.report("tool", `${type} for ${String(toolCallId)}, which has no input`);
  } else if (tool.phase === "ended" && !check.resuming) {
    check.report("tool", `${type} for ${String(toolCallId)}, which has ended`);
  } else {
    tool.phase = phaseAfter(chunk);
  }
}

function phaseAfter(chunk: StreamChunk): ToolCheck["phase"] {
  if (chunk.type === "tool-approval-request") return "approval";
  return chunk.type === "tool-output-available" && chunk.preliminary === true ? "partial" : "ended";
}
