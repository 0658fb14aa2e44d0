import type { ToolCallPart, ToolStatus } from "@agent-ops/shared/message-parts";
import { useState } from "react";
import { Icon } from "../ui/icon.tsx";

const WORDS: Record<ToolStatus, string> = {
  pending: "Preparing",
  running: "Running",
  completed: "Done",
  error: "Failed",
};

export function ToolCard({ part }: { part: ToolCallPart }) {
  const [chosen, setChosen] = useState<boolean | undefined>(undefined);
  const open = chosen ?? (part.status === "error" || part.preliminary === true);
  const args = part.args === undefined ? part.argsText : show(part.args);
  return (
    <div
      data-testid="tool-card"
      data-status={part.status}
      className="overflow-hidden rounded-xl border border-line bg-surface text-sm"
    >
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setChosen(!open)}
        className="flex w-full items-center gap-2.5 px-3 py-2 text-left -outline-offset-2 hover:bg-hover"
      >
        <ToolMark status={part.status} />
        <span className="shrink-0 font-mono text-[0.8125rem] font-medium">{part.toolName}</span>
        <span className="min-w-0 flex-1 truncate font-mono text-xs text-ink-muted">{preview(part)}</span>
        <span className="shrink-0 text-xs text-ink-muted">{part.preliminary ? "Running…" : WORDS[part.status]}</span>
        <Icon name="chevron" className={`size-3.5 text-ink-muted transition-transform ${open ? "rotate-90" : ""}`} />
      </button>
      {open && (
        <div className="space-y-2.5 border-t border-line px-3 py-2.5">
          {args !== undefined && <Detail label="Arguments" text={args} />}
          {part.result !== undefined && (
            <Detail label={part.preliminary ? "Result so far" : "Result"} text={show(part.result)} />
          )}
          {part.error !== undefined && <Detail label="Error" text={part.error} bad />}
          {args === undefined && part.result === undefined && part.error === undefined && (
            <p className="text-ink-muted">Nothing to show yet.</p>
          )}
        </div>
      )}
    </div>
  );
}

function ToolMark({ status }: { status: ToolStatus }) {
  if (status === "completed") return <Icon name="check" className="size-4 text-good" />;
  if (status === "error") return <Icon name="cross" className="size-4 text-bad" />;
  return (
    <span
      aria-hidden="true"
      className="mx-0.5 size-3 shrink-0 animate-spin rounded-full border-2 border-line-strong border-t-accent"
    />
  );
}

function Detail({ label, text, bad = false }: { label: string; text: string; bad?: boolean }) {
  return (
    <div>
      <div className="text-xs text-ink-muted">{label}</div>
      <pre
        className={`mt-0.5 max-h-72 overflow-auto font-mono text-xs leading-relaxed whitespace-pre-wrap wrap-anywhere ${bad ? "text-bad" : "text-ink-soft"}`}
      >
        {text}
      </pre>
    </div>
  );
}

function preview(part: ToolCallPart): string {
  const args = part.args;
  if (args === undefined) return part.argsText ?? "";
  if (typeof args !== "object" || args === null) return show(args);
  return Object.values(args)
    .map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
    .join(" ");
}

function show(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}
