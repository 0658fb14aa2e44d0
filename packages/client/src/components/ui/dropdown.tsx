import type { LucideIcon } from "lucide-react";
import { cloneElement, lazy, type ReactElement, Suspense, useState } from "react";
import { fresh } from "../../lib/fresh.ts";

export type MenuEntry =
  | { kind: "action"; icon: LucideIcon; label: string; danger?: boolean; onSelect: () => void }
  | {
      kind: "choices";
      label: string;
      value: string;
      options: readonly { value: string; label: string; hint?: string | undefined }[];
      onChange: (value: string) => void;
    }
  | { kind: "line" };

type TriggerProps = {
  onClick?: () => void;
  onPointerEnter?: () => void;
  onFocus?: () => void;
  "aria-haspopup"?: "menu";
  "aria-expanded"?: boolean;
};

type DropdownProps = {
  trigger: ReactElement<TriggerProps>;
  entries: readonly MenuEntry[];
  align?: "start" | "end";
  side?: "top" | "bottom";
};

const load = fresh(() => import("./menu.tsx"));
const OpenMenu = lazy(() => load().then((module) => ({ default: module.OpenMenu })));

/** A menu. Its machinery comes when somebody is about to open the first one. */
export function Dropdown({ trigger, entries, align = "end", side = "bottom" }: DropdownProps) {
  const [wanted, setWanted] = useState(false);
  const closed = cloneElement(trigger, {
    onClick: () => setWanted(true),
    onPointerEnter: () => void load(),
    onFocus: () => void load(),
    "aria-haspopup": "menu",
    "aria-expanded": false,
  });
  if (!wanted) return closed;
  return (
    <Suspense fallback={closed}>
      <OpenMenu trigger={trigger} entries={entries} align={align} side={side} />
    </Suspense>
  );
}
