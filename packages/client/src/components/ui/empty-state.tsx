import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

type EmptyStateProps = {
  icon: LucideIcon;
  title: string;
  text?: string;
  level?: "page" | "part";
  children?: ReactNode;
};

/** Says why there is nothing here, and what to do about it. */
export function EmptyState({ icon: Icon, title, text, level = "part", children }: EmptyStateProps) {
  const Title = level === "page" ? "h1" : "h2";
  return (
    <div className="m-auto flex max-w-sm flex-col items-center px-6 py-10 text-center">
      <span className="mb-3.5 grid size-11 place-items-center rounded-2xl border border-line bg-raised">
        <Icon aria-hidden="true" className="size-5 text-ink-muted" />
      </span>
      <Title className={level === "page" ? "text-lg font-semibold tracking-tight" : "text-sm font-medium"}>
        {title}
      </Title>
      {text !== undefined && <p className="mt-1 text-sm text-pretty text-ink-muted">{text}</p>}
      {children !== undefined && <div className="mt-4">{children}</div>}
    </div>
  );
}
