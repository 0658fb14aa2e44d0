import type { PromptDraft } from "../../lib/session-model.ts";
import { DemoPrompts } from "./demo-prompts.tsx";

type SuggestionsProps = { agent: string; disabled: boolean; onPick: (draft: PromptDraft) => void };

/** What an empty conversation shows instead of nothing. */
export function Suggestions({ agent, disabled, onPick }: SuggestionsProps) {
  return (
    <div className="m-auto w-full max-w-xl space-y-6 px-6 py-10">
      <div className="space-y-1.5 text-center">
        <h2 className="text-xl font-semibold tracking-tight">What should the agent do?</h2>
        <p className="text-sm text-ink-muted">
          Everyone in this session sees the same conversation. It goes on when you close the page.
        </p>
      </div>
      {agent === "demo" && <DemoPrompts disabled={disabled} onPick={onPick} />}
    </div>
  );
}
