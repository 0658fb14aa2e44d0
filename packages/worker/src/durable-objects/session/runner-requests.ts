import { AppError } from "@agent-ops/shared/errors";
import { type DiffEvent, diffEvent, type RunnerEvent } from "@agent-ops/shared/events";
import type { Journal } from "./journal.ts";
import type { RunnerLink } from "./runner-link.ts";
import type { SessionStore } from "./session-store.ts";
import type { ReaderSocket } from "./socket-readers.ts";

type Tools = { store: SessionStore; journal: Journal; link: RunnerLink };

/** Those who asked and were never answered are forgotten, the oldest first. */
const OPEN_REQUESTS = 500;

/** RUN9: what people want to know of the workspace, and what the runner says of it. */
export class RunnerRequests {
  #tools: Tools;
  #askers = new Map<string, ReaderSocket>();

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  ask(type: "diff" | "review", requestId: string, asker: ReaderSocket): void {
    if (!this.#tools.link.send({ type, requestId })) {
      throw new AppError("no_runner", "No runner is here to look at the files. Send a prompt to call one.");
    }
    if (type === "review") return;
    this.#askers.set(requestId, asker);
    for (const oldest of this.#askers.keys()) {
      if (this.#askers.size <= OPEN_REQUESTS) break;
      this.#askers.delete(oldest);
    }
  }

  /** A diff is for whoever asked, and for everybody where nobody did; the latest is kept. */
  onDiff(event: DiffEvent): void {
    const { store, journal } = this.#tools;
    const asker = this.#askers.get(event.requestId);
    this.#askers.delete(event.requestId);
    journal.appendStored([], () => store.latest.put("diff", event));
    journal.readers.tell(event, asker);
  }

  /** Everybody sees it, and whoever comes later finds the latest one in `init`. */
  onLatest(event: Extract<RunnerEvent, { type: "models" | "commands" | "git-state" | "review-result" }>): void {
    const { store, journal } = this.#tools;
    if (event.type !== "review-result" && content(event) === content(store.latest.get(event.type))) return;
    journal.appendStored([event], () => store.latest.put(event.type, event));
  }

  latestDiff(): DiffEvent | undefined {
    return diffEvent.safeParse(this.#tools.store.latest.get("diff")).data;
  }

  left(asker: ReaderSocket): void {
    for (const [requestId, socket] of this.#askers) if (socket === asker) this.#askers.delete(requestId);
  }
}

/** What an event says, whichever turn it came with: agents say the same again and again. */
function content(event: unknown): string {
  return JSON.stringify(event, (key, value: unknown) => (key === "turnId" ? undefined : value)) ?? "";
}
