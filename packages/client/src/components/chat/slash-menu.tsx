import type { SlashMenuState } from "../../hooks/use-slash-menu.ts";

export function SlashMenu({ menu: { id, shown, matches, active, pick } }: { menu: SlashMenuState }) {
  if (!shown) return null;
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Commands"
      className="rise absolute inset-x-3 bottom-full z-20 mb-1.5 max-h-72 overflow-y-auto rounded-xl border border-line bg-overlay p-1 shadow-high sm:inset-x-5"
    >
      {matches.map((command, at) => (
        <div
          key={command.name}
          id={`${id}-${at}`}
          role="option"
          tabIndex={-1}
          aria-selected={at === active}
          ref={(item) => {
            if (at === active) item?.scrollIntoView({ block: "nearest" });
          }}
          onPointerDown={(event) => {
            event.preventDefault();
            pick(command);
          }}
          className={`flex items-baseline gap-3 rounded-lg px-2.5 py-1.5 ${at === active ? "bg-hover" : ""}`}
        >
          <span className="max-w-1/2 min-w-36 shrink-0 truncate font-mono text-code font-medium">
            /{command.name}
            {command.hint && <span className="font-normal text-ink-muted"> {command.hint}</span>}
          </span>
          <span className="min-w-0 flex-1 truncate text-sm text-ink-muted">{command.description}</span>
        </div>
      ))}
    </div>
  );
}
