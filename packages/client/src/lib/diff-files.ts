import { z } from "zod";

const text = z.string().optional().catch(undefined);
const count = z.number().optional().catch(undefined);
/** Agents tell their changes in slightly different words. */
const rawFile = z.looseObject({
  path: text,
  file: text,
  status: text,
  additions: count,
  deletions: count,
  patch: text,
  diff: text,
  truncated: z.boolean().optional().catch(undefined),
});

export type DiffLine = { kind: "add" | "remove" | "same" | "hunk"; text: string; before?: number; after?: number };
export type DiffFile = {
  path: string;
  status: "added" | "deleted" | "renamed" | "modified";
  additions: number;
  deletions: number;
  lines: DiffLine[];
  /** There is more than the lines tell. */
  truncated: boolean;
};

/** The files of a `diff` event; what cannot be read is left out. */
export function readDiffFiles(files: readonly unknown[]): DiffFile[] {
  return files.flatMap((raw) => {
    const file = rawFile.safeParse(raw).data;
    const path = file?.path ?? file?.file;
    if (!file || path === undefined) return [];
    const lines = parsePatch(file.patch ?? file.diff ?? "");
    return [
      {
        path,
        status: statusOf(file.status),
        additions: file.additions ?? lines.filter(({ kind }) => kind === "add").length,
        deletions: file.deletions ?? lines.filter(({ kind }) => kind === "remove").length,
        lines,
        truncated: file.truncated === true,
      },
    ];
  });
}

function statusOf(word = ""): DiffFile["status"] {
  if (/^(a|add|new|create|untracked|\?)/i.test(word)) return "added";
  if (/^(d|del|remove)/i.test(word)) return "deleted";
  return /^(r|rename)/i.test(word) ? "renamed" : "modified";
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** The lines of a unified diff, numbered on both sides. */
function parsePatch(patch: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let before = 0;
  let after = 0;
  let inside = false;
  for (const line of patch.replace(/\n$/, "").split("\n")) {
    const hunk = HUNK.exec(line);
    if (hunk) {
      inside = true;
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      lines.push({ kind: "hunk", text: line });
    } else if (!inside || line.startsWith("\\")) continue;
    else if (line.startsWith("+")) lines.push({ kind: "add", text: line.slice(1), after: after++ });
    else if (line.startsWith("-")) lines.push({ kind: "remove", text: line.slice(1), before: before++ });
    else lines.push({ kind: "same", text: line.slice(1), before: before++, after: after++ });
  }
  return lines;
}
