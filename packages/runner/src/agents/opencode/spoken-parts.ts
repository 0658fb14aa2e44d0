import type { AgentEvent } from "../../agent-client.ts";
import type { KnownPart } from "./events.ts";

type SpokenPart = Extract<KnownPart, { type: "text" | "reasoning" }>;
type Delta = { partID: string; field: string; delta: string };

/** Texts and thoughts. Their deltas do not say which they are; the part that came before them does. */
export class SpokenParts {
  #parts = new Map<string, { kind: SpokenPart["type"]; told: string }>();

  delta({ partID, field, delta }: Delta): AgentEvent[] {
    const part = this.#parts.get(partID);
    if (!part || field !== "text" || delta === "") return [];
    part.told += delta;
    return [toEvent(part.kind, delta)];
  }

  /** A part told as a whole may hold more than its deltas did. */
  update({ id, type, text }: SpokenPart): AgentEvent[] {
    const part = this.#parts.get(id) ?? { kind: type, told: "" };
    this.#parts.set(id, part);
    if (!text.startsWith(part.told) || text === part.told) return [];
    return this.delta({ partID: id, field: "text", delta: text.slice(part.told.length) });
  }
}

function toEvent(kind: SpokenPart["type"], delta: string): AgentEvent {
  return { type: kind === "text" ? "message.part.text-delta" : "message.part.reasoning-delta", delta };
}
