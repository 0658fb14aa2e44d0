import { FilePen, HandHelping, type LucideIcon, Sparkles, Wrench } from "lucide-react";
import type { PromptDraft } from "../../lib/session-model.ts";

const PROMPTS: readonly { text: string; title: string; hint: string; icon: LucideIcon }[] = [
  { text: "/tour", title: "Take the tour", hint: "Everything a turn can have", icon: Sparkles },
  { text: "/tools 3", title: "Use some tools", hint: "Three calls with text between", icon: Wrench },
  { text: "/edit notes.md # Notes", title: "Edit a file", hint: "And see what changed", icon: FilePen },
  { text: "/approve", title: "Ask me first", hint: "A tool that needs approval", icon: HandHelping },
];

type DemoPromptsProps = { disabled: boolean; onPick: (draft: PromptDraft) => void };

/** What the demo agent can show, for somebody who has just come. */
export function DemoPrompts({ disabled, onPick }: DemoPromptsProps) {
  return (
    <ul className="grid gap-2 sm:grid-cols-2">
      {PROMPTS.map(({ text, title, hint, icon: Icon }) => (
        <li key={text}>
          <button
            type="button"
            disabled={disabled}
            onClick={() => onPick({ text })}
            className="flex h-full w-full items-start gap-3 rounded-xl border border-line bg-surface px-3.5 py-3 text-left shadow-low transition-colors hover:border-line-strong hover:bg-raised/60 disabled:opacity-60"
          >
            <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-accent" />
            <span className="min-w-0">
              <span className="block text-sm font-medium">{title}</span>
              <span className="block text-xs text-ink-muted">{hint}</span>
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
