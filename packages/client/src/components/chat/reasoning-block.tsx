import { useState } from "react";
import { Icon } from "../ui/icon.tsx";

/** Open while the agent thinks, folded when it has thought; a person's own choice stays. */
export function ReasoningBlock({ text, streaming }: { text: string; streaming: boolean }) {
  const [chosen, setChosen] = useState<boolean | undefined>(undefined);
  const open = chosen ?? streaming;
  return (
    <div data-testid="reasoning">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setChosen(!open)}
        className="-ml-1 inline-flex items-center gap-1.5 rounded-md px-1 text-sm text-ink-muted hover:text-ink"
      >
        <Icon name="spark" className={`size-4 ${streaming ? "breathe text-accent" : ""}`} />
        {streaming ? "Thinking…" : "Thought about it"}
        <Icon name="chevron" className={`size-3.5 transition-transform ${open ? "rotate-90" : ""}`} />
      </button>
      {open && (
        <p className="mt-1 ml-1.5 border-l-2 border-line pl-3.5 text-sm whitespace-pre-wrap wrap-anywhere text-ink-muted">
          {text}
        </p>
      )}
    </div>
  );
}
