import { Menu } from "@base-ui/react/menu";
import { Check } from "lucide-react";
import type { ReactElement } from "react";
import type { MenuEntry } from "./dropdown.tsx";

const ITEM =
  "flex items-center gap-2.5 rounded-lg px-2.5 py-1.5 outline-none select-none data-[highlighted]:bg-hover data-[disabled]:opacity-45";

type OpenMenuProps = {
  trigger: ReactElement;
  entries: readonly MenuEntry[];
  align: "start" | "end";
  side: "top" | "bottom";
};

/** A menu with everything that a menu needs; it begins open. */
export function OpenMenu({ trigger, entries, align, side }: OpenMenuProps) {
  return (
    <Menu.Root defaultOpen>
      <Menu.Trigger render={trigger} />
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align={align} side={side} className="z-60 outline-none">
          <Menu.Popup className="pop max-h-[min(24rem,var(--available-height))] min-w-52 overflow-y-auto rounded-xl border border-line bg-overlay p-1 text-sm shadow-high outline-none">
            {entries.map((entry, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the entries of a menu keep their places
              <Entry key={at} entry={entry} />
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function Entry({ entry }: { entry: MenuEntry }) {
  switch (entry.kind) {
    case "action": {
      const { icon: Icon, label, danger = false, onSelect } = entry;
      return (
        <Menu.Item onClick={onSelect} className={`${ITEM} ${danger ? "text-bad" : ""}`}>
          <Icon aria-hidden="true" className={`size-4 ${danger ? "" : "text-ink-muted"}`} />
          {label}
        </Menu.Item>
      );
    }
    case "choices":
      return <Choices entry={entry} />;
    case "line":
      return <Menu.Separator className="mx-2 my-1 h-px bg-line" />;
    default:
      return entry satisfies never;
  }
}

/** A group of a menu of which one is chosen. */
function Choices({ entry }: { entry: Extract<MenuEntry, { kind: "choices" }> }) {
  return (
    <Menu.RadioGroup value={entry.value} onValueChange={(value: string) => entry.onChange(value)}>
      <Menu.GroupLabel className="px-2.5 pt-1.5 pb-1 text-xs font-medium text-ink-muted">{entry.label}</Menu.GroupLabel>
      {entry.options.map((option) => (
        <Menu.RadioItem key={option.value} value={option.value} closeOnClick className={ITEM}>
          <span className="min-w-0 flex-1">
            <span className="block truncate">{option.label}</span>
            {option.hint !== undefined && <span className="block truncate text-xs text-ink-muted">{option.hint}</span>}
          </span>
          <Menu.RadioItemIndicator className="text-accent">
            <Check aria-hidden="true" className="size-4" />
          </Menu.RadioItemIndicator>
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  );
}
