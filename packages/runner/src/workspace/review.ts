import { z } from "zod";
import type { FileChange } from "./changes.ts";

export const SEVERITIES = ["critical", "warning", "suggestion", "nitpick"] as const;

const finding = z.object({
  line: z.number().int().positive().optional().describe("line in the new version of the file"),
  severity: z.enum(SEVERITIES),
  title: z.string().min(1),
  description: z.string().optional(),
  suggestion: z.string().optional().describe("what to write instead, as Markdown"),
});
const review = z.object({
  files: z.array(z.object({ path: z.string(), summary: z.string().optional(), findings: z.array(finding) })),
  overallSummary: z.string(),
});
export type Review = z.infer<typeof review>;

/** What an agent is shown of the changes at most. */
const PATCH_CHARS = 200_000;
const FENCED = /```(?:json)?\s*\n([\s\S]*?)\n```/;

/** Asks for findings and for nothing else. */
export function reviewPrompt(files: readonly FileChange[]): string {
  const patches = files.map(({ patch }) => patch).join("\n");
  const schema = JSON.stringify(z.toJSONSchema(review));
  return [
    "Review the changes below. Do not change any file and do not run anything.",
    "Answer with one JSON object and nothing else. It must fit this JSON Schema:",
    schema,
    "critical: wrong or unsafe. warning: likely to go wrong. suggestion: could be better. nitpick: a matter of taste.",
    "",
    "The changes:",
    patches.slice(0, PATCH_CHARS),
  ].join("\n");
}

/** An answer that did not fit, and what was wrong with it. */
export function correctionPrompt(problem: string): string {
  return `That was not the JSON that was asked for: ${problem}\nAnswer again, with the JSON object and nothing else.`;
}

export type ReadReview = { ok: true; review: Review } | { ok: false; problem: string };

/** The review in an agent's answer, which may be fenced or wrapped in words. */
export function readReview(text: string): ReadReview {
  const start = text.indexOf("{");
  const json = FENCED.exec(text)?.[1] ?? text.slice(Math.max(start, 0), text.lastIndexOf("}") + 1);
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { ok: false, problem: "it is not JSON." };
  }
  const parsed = review.safeParse(value);
  return parsed.success ? { ok: true, review: parsed.data } : { ok: false, problem: z.prettifyError(parsed.error) };
}

/** How many findings there are of each kind. */
export function reviewStats({ files }: Review): Record<(typeof SEVERITIES)[number] | "total", number> {
  const all = files.flatMap(({ findings }) => findings);
  const count = (severity: string) => all.filter((entry) => entry.severity === severity).length;
  return {
    critical: count("critical"),
    warning: count("warning"),
    suggestion: count("suggestion"),
    nitpick: count("nitpick"),
    total: all.length,
  };
}
