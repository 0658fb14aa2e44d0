import { ChevronRight, Sparkles } from "lucide-react";
import { useState } from "react";
import { formatElapsed, useElapsed } from "../../hooks/use-elapsed.ts";
import { usePreferences } from "../../stores/preferences-store.ts";
import { Markdown } from "../markdown/markdown.tsx";

type ReasoningBlockProps = { id: string; text: string; streaming: boolean };

/** Open while the agent thinks, folded when it has thought; a person's own choice stays. */
export function ReasoningBlock({ id, text, streaming }: ReasoningBlockProps) {
  const [chosen, setChosen] = useState<boolean>();
  const preferred = usePreferences((state) => state.reasoningOpen);
  const elapsed = useElapsed(`reasoning:${id}`, streaming);
  const open = chosen ?? (streaming || preferred);
  const took = elapsed === undefined ? "" : ` for ${formatElapsed(elapsed)}`;
  return (
    <div data-testid="reasoning">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setChosen(!open)}
        className="-ml-1 inline-flex items-center gap-1.5 rounded-md px-1 py-0.5 text-sm text-ink-muted hover:text-ink"
      >
        <Sparkles aria-hidden="true" className={`size-3.5 ${streaming ? "text-accent" : ""}`} />
        <span className={streaming ? "shimmer" : ""}>{streaming ? "Thinking" : `Thought${took}`}</span>
        <ChevronRight aria-hidden="true" className={`size-3.5 transition-transform ${open ? "rotate-90" : ""}`} />
      </button>
      {open && (
        <div className="mt-1.5 ml-1.5 border-l-2 border-line pl-4 text-ink-muted [&_.prose]:text-sm">
          <Markdown text={text} streaming={streaming} />
        </div>
      )}
    </div>
  );
}
