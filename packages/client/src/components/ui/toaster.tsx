import { CircleAlert, Info, TriangleAlert, X } from "lucide-react";
import { useEffect } from "react";
import { dismissToast, type Toast, useToasts } from "../../stores/toast-store.ts";
import { IconButton } from "./button.tsx";

const SHOWN_MS = 7_000;
const LOOKS = {
  info: { icon: Info, colour: "text-accent" },
  warning: { icon: TriangleAlert, colour: "text-warn" },
  error: { icon: CircleAlert, colour: "text-bad" },
} as const;

/** What just happened and needs no answer. Errors stay until they are dismissed. */
export function Toaster() {
  const toasts = useToasts((state) => state.toasts);
  return (
    <section
      aria-label="Notifications"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-4 bottom-28 z-60 flex flex-col items-center gap-2 sm:right-5 sm:bottom-5 sm:left-auto sm:w-88"
    >
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </section>
  );
}

function ToastCard({ toast: { id, level, text } }: { toast: Toast }) {
  const { icon: Icon, colour } = LOOKS[level];
  useEffect(() => {
    if (level === "error") return;
    const timer = setTimeout(() => dismissToast(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id, level]);
  return (
    <div
      data-testid="toast"
      data-level={level}
      className="rise pointer-events-auto flex w-full items-start gap-2.5 rounded-xl border border-line bg-overlay py-2 pr-1.5 pl-3.5 shadow-high"
    >
      <Icon aria-hidden="true" className={`mt-1 size-4 shrink-0 ${colour}`} />
      <p className="min-w-0 flex-1 py-0.5 text-sm wrap-anywhere">{text}</p>
      <IconButton icon={X} label="Dismiss" className="size-7" onClick={() => dismissToast(id)} />
    </div>
  );
}
