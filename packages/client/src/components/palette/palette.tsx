import { Dialog } from "@base-ui/react/dialog";
import { Search } from "lucide-react";
import { type KeyboardEvent, useId, useMemo, useState } from "react";
import { useSessions } from "../../stores/sessions-store.ts";
import { entriesOf, type PaletteEntry, search } from "./entries.ts";

type PaletteProps = { onClose: () => void; onNew: () => void };

/** Everything one can go to or do, by its name. */
export function Palette({ onClose, onNew }: PaletteProps) {
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="pop fixed inset-0 z-40 bg-shade [scale:1]!" />
        <Dialog.Popup className="pop fixed top-[12vh] left-1/2 z-50 flex max-h-[70dvh] w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 flex-col overflow-hidden rounded-2xl border border-line bg-overlay shadow-high outline-none">
          <Dialog.Title className="sr-only">Search and commands</Dialog.Title>
          <SearchBox onClose={onClose} onNew={onNew} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function SearchBox({ onClose, onNew }: PaletteProps) {
  const sessions = useSessions((state) => state.sessions);
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const id = useId();
  const entries = useMemo(() => entriesOf(sessions, onNew), [sessions, onNew]);
  const found = search(entries, query);
  const active = Math.min(at, found.length - 1);
  const run = (entry: PaletteEntry | undefined) => {
    if (!entry) return;
    onClose();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") setAt((active + 1) % Math.max(found.length, 1));
    else if (event.key === "ArrowUp") setAt((active - 1 + found.length) % Math.max(found.length, 1));
    else if (event.key === "Enter") run(found[active]);
    else return;
    event.preventDefault();
  };
  const onQuery = (text: string) => {
    setQuery(text);
    setAt(0);
  };
  return (
    <>
      <SearchInput
        list={id}
        active={found.length > 0 ? `${id}-${active}` : undefined}
        query={query}
        onQuery={onQuery}
        onKeyDown={onKeyDown}
      />
      <div id={id} role="listbox" aria-label="Found" className="min-h-0 overflow-y-auto p-1.5">
        {found.map((entry, index) => (
          <Entry
            key={entry.id}
            id={`${id}-${index}`}
            entry={entry}
            active={index === active}
            onPoint={() => setAt(index)}
            onRun={() => run(entry)}
          />
        ))}
      </div>
      {found.length === 0 && <p className="px-4 pb-6 text-center text-sm text-ink-muted">Nothing is called that.</p>}
    </>
  );
}

type SearchInputProps = {
  list: string;
  active: string | undefined;
  query: string;
  onQuery: (text: string) => void;
  onKeyDown: (event: KeyboardEvent) => void;
};

function SearchInput({ list, active, query, onQuery, onKeyDown }: SearchInputProps) {
  return (
    <div className="flex items-center gap-3 border-b border-line px-4">
      <Search aria-hidden="true" className="size-4 shrink-0 text-ink-muted" />
      <input
        ref={(input) => input?.focus()}
        role="combobox"
        aria-label="Search sessions and commands"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={active}
        placeholder="Search sessions and commands"
        value={query}
        onChange={(event) => onQuery(event.target.value)}
        onKeyDown={onKeyDown}
        className="h-12 min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-ink-muted sm:text-[0.9375rem]"
      />
    </div>
  );
}

type EntryProps = { id: string; entry: PaletteEntry; active: boolean; onPoint: () => void; onRun: () => void };

function Entry({ id, entry, active, onPoint, onRun }: EntryProps) {
  const { icon: Icon, title, hint } = entry;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox above has the keys
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={active}
      ref={(item) => {
        if (active) item?.scrollIntoView({ block: "nearest" });
      }}
      onPointerMove={onPoint}
      onClick={onRun}
      className={`flex h-10 items-center gap-3 rounded-lg px-2.5 text-sm ${active ? "bg-hover" : ""}`}
    >
      <Icon aria-hidden="true" className="size-4 shrink-0 text-ink-muted" />
      <span className="min-w-0 flex-1 truncate">{title}</span>
      <span className="shrink-0 text-xs text-ink-muted">{hint}</span>
    </div>
  );
}
