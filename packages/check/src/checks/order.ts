import { checkStream, type Problem, type StreamChunk } from "@agent-ops/ai-sdk/stream-checker";
import type { CheckId } from "../catalogue.ts";
import { isLegible, type StreamView } from "../stream-view.ts";
import { type Finding, plural, skipped, verdictOf } from "../verdict.ts";
import type { Verdicts } from "./answer.ts";
import { interruptedBlocks, isAnnounced, isRestart, openCalls } from "./order-context.ts";

type Graded = { readonly id: CheckId; readonly severity: Finding["severity"]; readonly message?: string };

const ORDER_IDS = [
  "order.start",
  "order.blocks",
  "order.open-blocks",
  "order.tools",
  "order.open-tools",
  "order.steps",
] as const satisfies readonly CheckId[];

/**
 * The order of chunks. The stream checker is as strict as our own streams are; here its problems are graded by what
 * they do to clients: a failure breaks or misleads one, a warning costs it something.
 */
export function checkOrder(views: readonly StreamView[]): Verdicts {
  const legible = views.filter(isLegible);
  const found = legible.flatMap((view) => gradedProblems(view));
  const note = plural(legible.length, "stream");
  return Object.fromEntries(
    ORDER_IDS.map((id) => [
      id,
      legible.length === 0
        ? skipped("no stream could be read as a whole")
        : verdictOf(
            found.filter((entry) => entry.id === id).map(({ finding }) => finding),
            note,
          ),
    ]),
  );
}

function gradedProblems({ chunks, recording }: StreamView): { id: CheckId; finding: Finding }[] {
  const problems = checkStream(chunks);
  const end = problems.find(({ code }) => code === "after-end")?.index ?? chunks.length;
  const seen = new Set<string>();
  return problems.flatMap((problem) => {
    const graded = problem.index < end ? grade(problem, chunks) : undefined;
    if (!graded) return [];
    const { id, severity, message } = graded;
    const what = message ?? `frame ${problem.index + 1}: ${problem.message}`;
    if (seen.has(what)) return [];
    seen.add(what);
    return [{ id, finding: { severity, seen: `${recording.name}: ${what}` } }];
  });
}

function grade(problem: Problem, chunks: readonly StreamChunk[]): Graded | undefined {
  switch (problem.code) {
    case "start":
      return gradeStart(problem, chunks);
    case "block":
      return { id: "order.blocks", severity: "failed" };
    case "open-block":
      return gradeOpenBlock(problem, chunks);
    case "tool":
      return { id: "order.tools", severity: isAnnounced(chunks, problem.index) ? "warned" : "failed" };
    case "open-tool":
      return gradeOpenTool(problem, chunks);
    case "step":
      return { id: "order.steps", severity: "warned" };
    case "outside-step":
      return hasSteps(chunks) ? { id: "order.steps", severity: "warned" } : undefined;
    case "after-end":
    case "no-end":
      return undefined;
    default:
      return problem.code satisfies never;
  }
}

function gradeStart({ index }: Problem, chunks: readonly StreamChunk[]): Graded {
  const starts = chunks.filter(({ type }) => type === "start");
  if (starts.length === 0) {
    return { id: "order.start", severity: "warned", message: "no start: the client makes up an id for the message" };
  }
  const isRepeat =
    chunks[index]?.type === "start" && starts.every(({ messageId }) => messageId === starts[0]?.messageId);
  return { id: "order.start", severity: isRepeat ? "warned" : "failed" };
}

/** Open at an error is what the SDK's own servers do; open at a tool matters where more text follows behind it. */
function gradeOpenBlock({ index }: Problem, chunks: readonly StreamChunk[]): Graded | undefined {
  const type = chunks[index]?.type;
  if (type === "error") return undefined;
  const isFatal = type === "finish" || type === "finish-step" || isRestart(chunks, index);
  if (isFatal) return { id: "order.open-blocks", severity: "failed" };
  const [block] = type?.startsWith("tool-") ? interruptedBlocks(chunks, index) : [];
  const message = `${block} goes on after frame ${index + 1} (${type}), so text and tool lose their order`;
  return block === undefined ? undefined : { id: "order.open-blocks", severity: "warned", message };
}

/** A call that the client is to execute stays open at finish; it posts the output in its next request. */
function gradeOpenTool({ index }: Problem, chunks: readonly StreamChunk[]): Graded | undefined {
  if (chunks[index]?.type !== "finish") return undefined;
  const calls = openCalls(chunks.slice(0, index));
  if (calls.length === 0) return undefined;
  return { id: "order.open-tools", severity: "failed", message: `at finish these calls are open: ${calls.join(", ")}` };
}

function hasSteps(chunks: readonly StreamChunk[]): boolean {
  return chunks.some(({ type }) => type === "start-step");
}
