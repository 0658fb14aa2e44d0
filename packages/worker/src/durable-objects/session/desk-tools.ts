import type { AgentOptions } from "@agent-ops/shared/agent-options";
import type { LogEvent, LogPayload } from "@agent-ops/shared/events";
import type { SessionStatus } from "@agent-ops/shared/sessions";
import type { Journal } from "./journal.ts";
import type { RoomPorts } from "./room-ports.ts";
import type { RunnerLink } from "./runner-link.ts";
import type { SessionStore } from "./session-store.ts";

/** What the turns' desk, clock and questions work with: the rest of the room. */
export type DeskTools = {
  sessionId: string;
  ports: RoomPorts;
  store: SessionStore;
  journal: Journal;
  runner: RunnerLink;
  setStatus(status: SessionStatus): void;
  /** The session's own options for its agent. */
  options(): AgentOptions;
};

/** What is logged and written together with a change of the turns. */
export type TurnAct = {
  events: LogPayload[];
  write?: (events: LogEvent[]) => void;
  /** Came with the prompt. */
  apiKey?: string | undefined;
};
