import type { RuntimeEvent } from "./runtime-events.ts";

type Draft<EVENT> = EVENT extends unknown ? Omit<EVENT, "runId" | "timestamp" | "nodeId"> & { nodeId?: string } : never;

/** One of our events without what the transform adds: the run, the time, and the node where none is named. */
export type EventDraft = Draft<RuntimeEvent>;

/**
 * What each event of another vocabulary means in ours, by its `type`; an empty list says that it means nothing. A type
 * that is left out does not compile.
 */
export type EventMapping<EVENT extends { type: string }> = {
  readonly [TYPE in EVENT["type"]]: (event: Extract<EVENT, { type: TYPE }>) => readonly EventDraft[];
};

export type EventTransformOptions<EVENT> = {
  /** The node of events that name none: `agent`. */
  nodeId?: string;
  now?: () => number;
  /** Told of events that the mapping does not know, as a newer release of the runtime may bring them. */
  onUnknownEvent?: (event: EVENT) => void;
};

/** For one run: their event in, ours out. */
export type EventTransform<EVENT> = (runId: string) => (event: EVENT) => readonly RuntimeEvent[];

/** `mappingOf` is called for every run, so that a mapping can keep what it has to remember of one. */
export function createEventTransform<EVENT extends { type: string }>(
  mappingOf: () => EventMapping<EVENT>,
  { nodeId = "agent", now = Date.now, onUnknownEvent }: EventTransformOptions<EVENT> = {},
): EventTransform<EVENT> {
  return (runId) => {
    const mapping: Record<string, ((event: never) => readonly EventDraft[]) | undefined> = mappingOf();
    return (event) => {
      // Each function is found by the type of the event it takes, which the compiler cannot follow.
      const drafts = Object.hasOwn(mapping, event.type) ? mapping[event.type]?.(event as never) : undefined;
      if (!drafts) onUnknownEvent?.(event);
      return drafts?.map((draft) => ({ nodeId, ...draft, runId, timestamp: now() })) ?? [];
    };
  };
}
