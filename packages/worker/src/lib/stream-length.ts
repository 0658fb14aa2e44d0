import { phaseOf, startTranslation, translate } from "@agent-ops/ai-sdk/translator";
import type { LogEvent } from "@agent-ops/shared/events";
import { isLogged, type StreamKind } from "./stream-reader.ts";

/** Where a late reader finds what it missed; empty at the end of the log. */
export type ReplaySource = { readAfter(seq: number): readonly { event: LogEvent }[] };

type Ended = { turnId: string; kind: StreamKind; startSeq: number };

/** Whether the stream of a turn that has ended has exactly so many chunks, so that nothing follows them. */
export function hasLength(source: ReplaySource, length: number, { turnId, kind, startSeq }: Ended): boolean {
  let translation = startTranslation(turnId, kind);
  let count = 0;
  for (let page = source.readAfter(startSeq); page.length > 0 && count <= length; ) {
    for (const { event } of page) {
      const { state, chunks } = translate(translation, event);
      translation = state;
      count += chunks.filter(isLogged).length;
    }
    if (phaseOf(translation) === "ended") break;
    page = source.readAfter(page.at(-1)?.event.seq ?? Number.POSITIVE_INFINITY);
  }
  return count === length;
}
