import { DONE, type Frame } from "../frames.ts";
import { hasBody, isEventStream, type StreamView } from "../stream-view.ts";
import { type Finding, passed, plural, shown, skipped, type Verdict, verdictOf } from "../verdict.ts";
import type { Verdicts } from "./answer.ts";

export function checkFraming(views: readonly StreamView[]): Verdicts {
  const streams = views.filter((view) => hasBody(view) && (isEventStream(view) || view.payloads.length > 0));
  const framed = streams.filter((view) => view.payloads.length > 0);
  const frames = framed.reduce((sum, view) => sum + view.payloads.length, 0);
  const note = `${plural(frames, "frame")} in ${plural(framed.length, "stream")}`;
  return {
    "framing.lines": judge(streams, strangeLines),
    "framing.json": judge(framed, unreadable, note),
    "framing.empty-data": judge(framed, emptyData),
    "framing.last-frame": judge(framed, openFrame),
    "framing.done": framed.length === 0 ? skipped("no frames came") : passed(doneNote(framed)),
  };
}

function judge(views: readonly StreamView[], find: (view: StreamView) => string[], note?: string): Verdict {
  if (views.length === 0) return skipped("no frames came");
  const findings = views.flatMap((view) =>
    find(view).map((seen): Finding => ({ severity: "failed", seen: `${view.recording.name}: ${seen}` })),
  );
  return verdictOf(findings, note);
}

function strangeLines({ frames, payloads }: StreamView): string[] {
  const strange = frames.flatMap((frame) => frame.strange).map((line) => `the line ${shown(line)}`);
  return strange.length === 0 && payloads.length === 0 ? ["not one data line"] : strange;
}

function unreadable({ payloads }: StreamView): string[] {
  return payloads.flatMap((payload, index) =>
    "problem" in payload && payload.text.trim() !== ""
      ? [`frame ${index + 1} is ${shown(payload.text)} (${shown(payload.problem)})`]
      : [],
  );
}

function emptyData({ payloads }: StreamView): string[] {
  return payloads.flatMap(({ text }, index) => (text.trim() === "" ? [`frame ${index + 1} has no content`] : []));
}

function openFrame({ frames, recording }: StreamView): string[] {
  const open = recording.ending === "whole" ? frames.find(isOpen) : undefined;
  return open ? [`the body ends with ${shown(open.data ?? "")} and no blank line`] : [];
}

/** Nobody misses `[DONE]`. */
function isOpen({ complete, data }: Frame): boolean {
  return !complete && data !== undefined && data !== DONE;
}

function doneNote(views: readonly StreamView[]): string {
  const done = views.filter(({ frames }) => frames.at(-1)?.data === DONE).length;
  if (done === 0) return "not sent";
  return done === views.length ? "sent" : `sent by ${done} of ${plural(views.length, "stream")}`;
}
