import { useEffect } from "react";
import { MenuButton } from "./menu-button.tsx";

/** The top of a page that is no session. */
export function PageHeader({ title, onMenu }: { title?: string; onMenu: () => void }) {
  useEffect(() => {
    document.title = title === undefined ? "Agent Ops" : `${title} · Agent Ops`;
  }, [title]);
  return (
    <header
      className={`flex h-13 shrink-0 items-center gap-2 px-2 sm:px-4 ${title === undefined ? "group-data-[sidebar=shown]/shell:hidden" : "border-b border-line"}`}
    >
      <MenuButton onClick={onMenu} />
      {title !== undefined && <h1 className="text-sm font-semibold tracking-tight">{title}</h1>}
    </header>
  );
}
