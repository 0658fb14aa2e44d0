const PROMPTS = [
  { text: "/help", hint: "What the demo agent can do" },
  { text: "/tools 3", hint: "Three tool calls with text between" },
  { text: "/think", hint: "Reasoning first, then an answer" },
  { text: "/approve", hint: "A tool that asks before it runs" },
];

type SuggestionsProps = { title: string; disabled: boolean; onPick: (text: string) => void };

/** What an empty conversation shows instead of nothing. */
export function Suggestions({ title, disabled, onPick }: SuggestionsProps) {
  return (
    <div className="m-auto w-full max-w-md space-y-4 py-6">
      <p className="text-center text-ink-muted">{title}</p>
      <ul className="grid gap-2 sm:grid-cols-2">
        {PROMPTS.map(({ text, hint }) => (
          <li key={text}>
            <button
              type="button"
              disabled={disabled}
              onClick={() => onPick(text)}
              className="h-full w-full rounded-xl border border-line bg-surface px-3.5 py-2.5 text-left transition-colors hover:border-line-strong hover:bg-hover disabled:opacity-60"
            >
              <span className="block font-mono text-sm font-medium">{text}</span>
              <span className="block text-sm text-ink-muted">{hint}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
