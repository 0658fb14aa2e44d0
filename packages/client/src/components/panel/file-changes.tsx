import { ChevronRight } from "lucide-react";
import { useMemo, useState } from "react";
import { useHighlighter } from "../../hooks/use-highlight.ts";
import type { DiffFile, DiffLine } from "../../lib/diff-files.ts";
import type { Span } from "../../lib/highlighter.ts";
import { languageOf } from "../../lib/languages.ts";
import { Spans } from "../markdown/code-block.tsx";
import { ScrollArea } from "../ui/scroll-area.tsx";

const SHOWN_LINES = 1_500;
const MARKS = { added: "A", deleted: "D", renamed: "R", modified: "M" } as const;
const MARK_COLOURS = {
  added: "text-good",
  deleted: "text-bad",
  renamed: "text-accent",
  modified: "text-warn",
} as const;

/** One file of a diff. */
export function FileChanges({ file, open: first }: { file: DiffFile; open: boolean }) {
  const [open, setOpen] = useState(first);
  return (
    <section
      aria-label={file.path}
      data-testid="file-changes"
      className="overflow-hidden rounded-xl border border-line"
    >
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex h-9 w-full items-center gap-2 bg-raised/60 px-2.5 text-left text-xs -outline-offset-2 hover:bg-raised"
      >
        <ChevronRight
          aria-hidden="true"
          className={`size-3.5 shrink-0 text-ink-muted transition-transform ${open ? "rotate-90" : ""}`}
        />
        <span className={`font-mono font-semibold ${MARK_COLOURS[file.status]}`} title={file.status}>
          {MARKS[file.status]}
        </span>
        <span className="min-w-0 flex-1 truncate font-mono">{file.path}</span>
        {file.additions > 0 && <span className="text-good">+{file.additions}</span>}
        {file.deletions > 0 && <span className="text-bad">−{file.deletions}</span>}
      </button>
      {open && <Lines file={file} />}
    </section>
  );
}

function Lines({ file }: { file: DiffFile }) {
  const language = languageOf(file.path);
  const highlight = useHighlighter(language !== "");
  const shown = useMemo(() => file.lines.slice(0, SHOWN_LINES), [file]);
  const spans = useMemo(
    () => shown.map(({ kind, text }) => (kind === "hunk" ? undefined : highlight?.(text, language))),
    [shown, highlight, language],
  );
  if (shown.length === 0)
    return <p className="px-3 py-2.5 text-xs text-ink-muted">There is nothing to show of this file.</p>;
  return (
    <ScrollArea label={`Lines of ${file.path}`} className="overflow-x-auto font-mono text-xs leading-5">
      <table className="w-full border-collapse">
        <tbody>
          {shown.map((line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one diff keep their places
            <Line key={at} line={line} spans={spans[at]} />
          ))}
        </tbody>
      </table>
      {(file.truncated || file.lines.length > SHOWN_LINES) && (
        <p className="px-3 py-2 text-ink-muted">The rest of the changes is too long to be shown here.</p>
      )}
    </ScrollArea>
  );
}

const BACKGROUNDS = {
  add: "bg-good-soft",
  remove: "bg-bad-soft",
  same: "",
  hunk: "bg-accent-soft text-ink-muted",
} as const;
const SIGNS = { add: "+", remove: "−", same: " ", hunk: "" } as const;
const WORDS = { add: "Added: ", remove: "Removed: ", same: "", hunk: "" } as const;

function Line({ line, spans }: { line: DiffLine; spans: readonly Span[] | undefined }) {
  return (
    <tr className={BACKGROUNDS[line.kind]}>
      <td className="w-10 min-w-10 pl-2 text-right text-ink-muted tabular-nums select-none">{line.before}</td>
      <td className="w-9 min-w-9 pr-1.5 text-right text-ink-muted tabular-nums select-none">{line.after}</td>
      <td className="pr-3 whitespace-pre">
        <span aria-hidden="true" className="mr-1 inline-block w-3 text-center text-ink-muted select-none">
          {SIGNS[line.kind]}
        </span>
        <span className="sr-only">{WORDS[line.kind]}</span>
        {spans ? <Spans spans={spans} /> : line.text}
      </td>
    </tr>
  );
}
