import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";

export function ErrorNote({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <div
      role="alert"
      className="flex items-start gap-2.5 rounded-xl border border-bad/25 bg-bad-soft px-3.5 py-2.5 text-sm text-bad"
    >
      <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <p className="min-w-0 flex-1 wrap-anywhere">{text}</p>
      {children}
    </div>
  );
}
