import type { AgentCommand } from "@agent-ops/shared/events";
import { useEffect, useMemo } from "react";
import { recallCommands, rememberCommands } from "../lib/slash-commands.ts";
import { type Chat, useSession } from "./use-chat.ts";

/** The slash commands of the session's agent; until it has told them, those that it told elsewhere. */
export function useCommands(chat: Chat): readonly AgentCommand[] {
  const agent = useSession(chat, ({ state }) => state.session?.agent);
  const told = useSession(chat, ({ state }) => state.commands);
  useEffect(() => {
    if (agent !== undefined && told) rememberCommands(agent, told);
  }, [agent, told]);
  return useMemo(() => told ?? recallCommands(agent), [told, agent]);
}
