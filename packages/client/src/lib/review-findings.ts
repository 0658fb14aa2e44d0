import { z } from "zod";

const text = z.string().optional().catch(undefined);
const severity = z.enum(["critical", "warning", "suggestion", "nitpick", "info"]).catch("info");
const rawFinding = z.looseObject({
  id: text,
  file: text,
  path: text,
  line: z.number().optional().catch(undefined),
  lineStart: z.number().optional().catch(undefined),
  severity,
  category: text,
  title: text,
  message: text,
  description: text,
  suggestion: text,
});
const rawFile = z.looseObject({
  path: text,
  file: text,
  summary: text,
  findings: z.array(rawFinding).catch([]).default([]),
});
const rawReview = z.looseObject({
  files: z.array(rawFile).catch([]).default([]),
  overallSummary: text,
  error: text,
});

export type Finding = {
  key: string;
  path: string;
  line: number | undefined;
  severity: z.infer<typeof severity>;
  title: string;
  text: string | undefined;
  suggestion: string | undefined;
};
export type Review = { summary: string | undefined; error: string | undefined; findings: Finding[] };

const RANK = { critical: 0, warning: 1, suggestion: 2, nitpick: 3, info: 4 } as const;

/** The findings of a `review-result`, the gravest first. */
export function readReview(result: unknown): Review {
  const { files, overallSummary, error } = rawReview.parse(result);
  const findings = files.flatMap((file, fileAt) =>
    file.findings.map((finding, at): Finding => {
      const title = finding.title ?? finding.message ?? finding.description ?? "Finding";
      const body = finding.description ?? finding.message;
      return {
        key: finding.id ?? `${fileAt}:${at}`,
        path: finding.path ?? finding.file ?? file.path ?? file.file ?? "",
        line: finding.line ?? finding.lineStart,
        severity: finding.severity,
        title,
        text: body === title ? undefined : body,
        suggestion: finding.suggestion,
      };
    }),
  );
  return { summary: overallSummary, error, findings: findings.toSorted((a, b) => RANK[a.severity] - RANK[b.severity]) };
}
