import type { ReactNode } from "react";

type ScrollAreaProps = { label: string; className?: string; children: ReactNode };

/** Something that scrolls by itself, with the keyboard too. */
export function ScrollArea({ label, className = "", children }: ScrollAreaProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs
    <div
      role="group"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls with the arrows
      tabIndex={0}
      className={`-outline-offset-2 ${className}`}
    >
      {children}
    </div>
  );
}
