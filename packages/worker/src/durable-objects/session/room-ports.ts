import type { Times } from "@agent-ops/shared/times";
import type { Load } from "../../lib/load.ts";
import type { ReaderSocket } from "./socket-readers.ts";
import type { Clock, RoomStorage } from "./storage.ts";

/** What a session needs of the world around it. */
export interface RoomPorts {
  storage: RoomStorage;
  clock: Clock;
  load: Load;
  times: Times;
  actsPerSecond: number;
  /** What a visitor of a widget may do. */
  widgetActsPerMinute: number;
  newId(): string;
  setAlarm(at: number): void;
  /** Asks the pool to send a runner that holds this lease. */
  requestRunner(epoch: number): void;
  /** LIFE4: there is something that child sessions have to hear. */
  tellChildren(): void;
  /** The session looks different from outside: by what a person did, who wants to see it, or by what happens in it. */
  changed(by: "person" | "turn"): void;
  /** Disconnects those whose right has run out by now; when the next one's does. */
  dismissExpired(now: number): number;
  /** Keeps with a socket how far it got, while it lags behind the log. */
  rememberReader(socket: ReaderSocket, behind: number | undefined): void;
  /** The store refused a write: nothing in memory can be trusted any more. */
  crash(error: unknown): void;
}
