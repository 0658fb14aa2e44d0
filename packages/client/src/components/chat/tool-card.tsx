import type { ToolCallPart, ToolStatus } from "@agent-ops/shared/message-parts";
import {
  Check,
  ChevronRight,
  FilePen,
  FileText,
  FolderOpen,
  Globe,
  type LucideIcon,
  Search,
  Terminal,
  Wrench,
  X,
} from "lucide-react";
import { memo, useMemo, useState } from "react";
import { formatElapsed, useElapsed } from "../../hooks/use-elapsed.ts";
import { readToolOutput } from "../../lib/tool-output.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { ScrollArea } from "../ui/scroll-area.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { ToolPage } from "./tool-page.tsx";

const WORDS: Record<ToolStatus, string> = {
  pending: "Preparing",
  running: "Running",
  completed: "Done",
  error: "Failed",
};

const PICTURES: readonly [RegExp, LucideIcon][] = [
  [/bash|shell|command|exec|terminal|test/i, Terminal],
  [/edit|write|patch|create/i, FilePen],
  [/list|glob|tree|dir/i, FolderOpen],
  [/search|grep|find/i, Search],
  [/fetch|web|http|browse/i, Globe],
  [/read|view|open|cat/i, FileText],
];

type ToolCardProps = { part: ToolCallPart; running: boolean };

/** A tool call in a line: what it does, how it goes, how long it takes. What went in and came out unfolds. */
export const ToolCard = memo(function ToolCard({ part, running }: ToolCardProps) {
  const [chosen, setChosen] = useState<boolean>();
  const open = chosen ?? (part.status === "error" || part.preliminary === true);
  const active = running && (part.status === "pending" || part.status === "running");
  const elapsed = useElapsed(`tool:${part.callId}`, active);
  const Picture = PICTURES.find(([pattern]) => pattern.test(part.toolName))?.[1] ?? Wrench;
  return (
    <div data-testid="tool-card" data-status={part.status} className="text-sm">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setChosen(!open)}
        className="group/tool flex w-full items-center gap-2.5 px-3 py-2 text-left -outline-offset-2 hover:bg-hover"
      >
        <Picture aria-hidden="true" className="size-4 shrink-0 text-ink-muted" />
        <span className={`shrink-0 font-medium ${active ? "shimmer" : ""}`}>{titleOf(part.toolName)}</span>
        <span className="min-w-0 flex-1 truncate font-mono text-xs text-ink-muted">{preview(part)}</span>
        {elapsed !== undefined && elapsed >= 100 && (
          <span className="shrink-0 text-xs text-ink-muted tabular-nums">{formatElapsed(elapsed)}</span>
        )}
        <ToolMark status={part.status} active={active} />
        <ChevronRight
          aria-hidden="true"
          className={`size-3.5 shrink-0 text-ink-muted transition-transform ${open ? "rotate-90" : ""}`}
        />
      </button>
      {open && <ToolDetails part={part} />}
    </div>
  );
});

function ToolMark({ status, active }: { status: ToolStatus; active: boolean }) {
  return (
    <span className="inline-flex shrink-0 items-center">
      {status === "completed" && <Check aria-hidden="true" className="size-4 text-good" />}
      {status === "error" && <X aria-hidden="true" className="size-4 text-bad" />}
      {active && <Spinner />}
      <span className="sr-only">{WORDS[status]}</span>
    </span>
  );
}

function ToolDetails({ part }: { part: ToolCallPart }) {
  const args = part.args === undefined ? part.argsText : show(part.args);
  const output = useMemo(() => (part.result === undefined ? undefined : readToolOutput(part.result)), [part.result]);
  const empty = args === undefined && part.result === undefined && part.error === undefined;
  return (
    <div className="space-y-3 border-t border-line bg-raised/50 px-3.5 py-3">
      {args !== undefined && <Detail label="Input" text={args} />}
      {output?.pages.map((page) => (
        <ToolPage key={page.uri} page={page} />
      ))}
      {output && (output.text !== "" || output.pages.length === 0) && (
        <Detail label={part.preliminary ? "Output so far" : "Output"} text={output.text} />
      )}
      {part.error !== undefined && <Detail label="Error" text={part.error} bad />}
      {empty && <p className="text-xs text-ink-muted">Nothing to show yet.</p>}
    </div>
  );
}

function Detail({ label, text, bad = false }: { label: string; text: string; bad?: boolean }) {
  return (
    <div>
      <div className="flex h-6 items-center justify-between text-2xs font-medium tracking-wide text-ink-muted uppercase">
        {label}
        <CopyButton text={text} label={`Copy the ${label.toLowerCase()}`} className="size-6" />
      </div>
      <ScrollArea label={label} className="max-h-72 overflow-auto">
        <pre
          className={`font-mono text-xs leading-relaxed whitespace-pre-wrap wrap-anywhere ${bad ? "text-bad" : "text-ink-soft"}`}
        >
          {text}
        </pre>
      </ScrollArea>
    </div>
  );
}

/** "run_command" and "runCommand" as people say it. */
function titleOf(name: string): string {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]+/g, " ")
    .trim()
    .toLowerCase();
  return words === "" ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

const PREVIEW_CHARS = 300;

function preview({ args, argsText }: ToolCallPart): string {
  if (args === undefined) return (argsText ?? "").slice(0, PREVIEW_CHARS);
  if (typeof args !== "object" || args === null) return show(args).slice(0, PREVIEW_CHARS);
  return Object.values(args)
    .map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
    .join("  ")
    .slice(0, PREVIEW_CHARS);
}

function show(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}
