import type { AgentCommand } from "@agent-ops/shared/events";
import { type KeyboardEvent, useId, useState } from "react";
import { matchCommands, textOfCommand } from "../lib/slash-commands.ts";

/** The list of commands that opens when a message begins with a slash. */
export function useSlashMenu(text: string, commands: readonly AgentCommand[], onPick: (text: string) => void) {
  const id = useId();
  const [at, setAt] = useState(0);
  const [dismissed, setDismissed] = useState("");
  const matches = dismissed === text ? [] : matchCommands(text, commands);
  const shown = matches.length > 0;
  const active = Math.min(at, matches.length - 1);
  const pick = (command: AgentCommand) => {
    onPick(textOfCommand(command));
    setDismissed(textOfCommand(command));
    setAt(0);
  };
  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (!shown || event.nativeEvent.isComposing) return false;
    const command = matches[active];
    if (event.key === "ArrowDown") setAt((active + 1) % matches.length);
    else if (event.key === "ArrowUp") setAt((active - 1 + matches.length) % matches.length);
    else if (event.key === "Escape") setDismissed(text);
    else if ((event.key === "Tab" || (event.key === "Enter" && text !== `/${command?.name}`)) && command) pick(command);
    else return false;
    event.preventDefault();
    return true;
  };
  const inputProps = shown
    ? ({
        role: "combobox",
        "aria-expanded": true,
        "aria-controls": id,
        "aria-autocomplete": "list",
        "aria-activedescendant": `${id}-${active}`,
      } as const)
    : {};
  return { id, shown, matches, active, pick, onKeyDown, inputProps };
}

export type SlashMenuState = ReturnType<typeof useSlashMenu>;
