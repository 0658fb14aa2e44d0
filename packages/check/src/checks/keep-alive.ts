import { FrameParser } from "../frames.ts";
import type { Recording } from "../recording.ts";
import { failed, passed, skipped, type Verdict } from "../verdict.ts";

/** A turn with a long silence in it: no gap between bytes may be longer than `silenceMs`. */
export function checkKeepAlive(recording: Recording, silenceMs: number): Verdict {
  const times = [recording.startedAt, ...recording.pieces.map(({ at }) => at), recording.endedAt];
  const longest = Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? at)));
  if (longest > silenceMs) return failed(`${seconds(longest)} without a byte in mid-turn`);
  if (countComments(recording) === 0) {
    return skipped(`the turn was never silent for long enough (${seconds(longest)} at most)`);
  }
  return passed(`${seconds(longest)} of silence at most`);
}

function countComments({ pieces }: Recording): number {
  const parser = new FrameParser();
  return pieces.flatMap(({ text }) => parser.feed(text)).reduce((sum, frame) => sum + frame.comments, 0);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
