import type { LogEvent } from "@agent-ops/shared/events";

/** What depends on the moment, on how a stream was cut, or on the session and not on the turn. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "message",
  "agentStatus",
  "status",
  "queue.state",
  "audit_log",
  "models",
  "commands",
  "title",
  "git-state",
  "files-changed",
]);

type Plain = { type: string; [key: string]: unknown };

/** A turn's V2 events without ids, times, partial results and the borders of deltas, one a line. */
export function golden(events: readonly LogEvent[], workspace: string): string {
  const told = events.filter((event) => !LEFT_OUT.has(event.type)).map(({ seq: _, ts: __, ...event }): Plain => event);
  const lines = joinDeltas(told.filter(({ preliminary }) => preliminary !== true)).map((event) =>
    JSON.stringify(event, withoutMoments),
  );
  // Some agents leave out the first slash.
  const text = lines.join("\n").replaceAll(workspace, "/workspace").replaceAll(workspace.slice(1), "workspace");
  return `${new Names().replaceIn(text)}\n`;
}

function joinDeltas(events: Plain[]): Plain[] {
  const joined: Plain[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    if (typeof event.delta === "string" && last?.type === event.type) last.delta = `${last.delta}${event.delta}`;
    else joined.push({ ...event });
  }
  return joined;
}

function withoutMoments(key: string, value: unknown): unknown {
  return key === "time" || key === "expiresAt" ? undefined : value;
}

/** The same id gets the same stand-in wherever it is. */
class Names {
  #known = new Map<string, string>();

  replaceIn(text: string): string {
    const ids = /\b(?:\w+__)?(?:ses|per|que|msg|prt|call|toolu)_\w+|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22,}/g;
    return text.replaceAll(ids, (id) => {
      const name = this.#known.get(id) ?? `id-${this.#known.size + 1}`;
      this.#known.set(id, name);
      return name;
    });
  }
}
