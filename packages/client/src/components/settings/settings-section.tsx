import { type ReactNode, useId } from "react";

export function SettingsSection({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="space-y-4">
      <div>
        <h2 id={id} className="text-base font-semibold tracking-tight">
          {title}
        </h2>
        <p className="text-sm text-ink-muted">{text}</p>
      </div>
      <div className="space-y-4">{children}</div>
    </section>
  );
}
