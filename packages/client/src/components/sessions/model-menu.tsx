import { ChevronsUpDown } from "lucide-react";
import { useState } from "react";
import { z } from "zod";
import { type Chat, useSession } from "../../hooks/use-chat.ts";
import { Dropdown } from "../ui/dropdown.tsx";

const model = z.union([
  z.string().transform((id) => ({ id, name: id, provider: undefined })),
  z
    .looseObject({ id: z.string(), name: z.string().optional(), provider: z.string().optional() })
    .transform(({ id, name, provider }) => ({ id, name: name ?? id, provider })),
]);
const offer = z.looseObject({
  models: z.array(model).catch([]).default([]),
  current: z.string().optional().catch(undefined),
  default: z.string().optional().catch(undefined),
});

/** The models that the session's agent offers, and the one for the next message. */
export function useModelChoice(chat: Chat) {
  const told = useSession(chat, ({ state }) => state.models);
  const [chosen, setChosen] = useState<string>();
  const { models, current, default: first } = offer.parse(told ?? {});
  return { models, shown: chosen ?? current ?? first ?? models[0]?.id, chosen, onChoose: setChosen };
}

type ModelMenuProps = Omit<ReturnType<typeof useModelChoice>, "chosen">;

export function ModelMenu({ models, shown, onChoose }: ModelMenuProps) {
  if (models.length === 0 || shown === undefined) return null;
  const options = models.map(({ id, name, provider }) => ({ value: id, label: name, hint: provider }));
  return (
    <Dropdown
      align="start"
      side="top"
      entries={[{ kind: "choices", label: "Model for the next message", value: shown, options, onChange: onChoose }]}
      trigger={
        <button
          type="button"
          className="inline-flex h-8 min-w-0 items-center gap-1 rounded-lg px-2 text-xs font-medium text-ink-muted hover:bg-hover hover:text-ink"
        >
          <span className="sr-only">Model: </span>
          <span className="truncate">{options.find(({ value }) => value === shown)?.label ?? shown}</span>
          <ChevronsUpDown aria-hidden="true" className="size-3 shrink-0" />
        </button>
      }
    />
  );
}
