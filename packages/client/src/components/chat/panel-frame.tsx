import type { ReactNode } from "react";

type PanelFrameProps = { id: string; title: string; sentence: string; children: ReactNode; className?: string };

export function PanelFrame({ id, title, sentence, children, className = "" }: PanelFrameProps) {
  return (
    <section
      id={id}
      aria-label={title}
      data-testid={id}
      className={`flex min-h-0 min-w-0 flex-1 flex-col ${className}`}
    >
      <header className="border-b border-line px-4 py-2 sm:px-6">
        <h2 className="text-sm font-semibold max-wide:sr-only">{title}</h2>
        <p className="text-xs text-ink-muted">{sentence}</p>
      </header>
      {children}
    </section>
  );
}
