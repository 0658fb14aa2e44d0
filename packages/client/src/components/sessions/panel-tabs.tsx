import type { KeyboardEvent } from "react";

export type PanelName = "live" | "ai";

const TABS: readonly { name: PanelName; label: string }[] = [
  { name: "live", label: "Live session" },
  { name: "ai", label: "useChat" },
];

/** On narrow screens one panel shows at a time. */
export function PanelTabs({ shown, onShow }: { shown: PanelName; onShow: (name: PanelName) => void }) {
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const next = shown === "live" ? "ai" : "live";
    onShow(next);
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${next}"]`)?.focus();
  };
  return (
    <div
      role="tablist"
      aria-label="Views of this session"
      onKeyDown={onKeyDown}
      className="flex border-b border-line px-2"
    >
      {TABS.map(({ name, label }) => (
        <button
          key={name}
          type="button"
          role="tab"
          data-tab={name}
          aria-selected={shown === name}
          aria-controls={`${name}-panel`}
          tabIndex={shown === name ? 0 : -1}
          onClick={() => onShow(name)}
          className={`-mb-px border-b-2 px-3 py-2 text-sm -outline-offset-2 ${shown === name ? "border-accent font-medium text-ink" : "border-transparent text-ink-muted hover:text-ink"}`}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
