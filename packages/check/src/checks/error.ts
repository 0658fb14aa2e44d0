import { bodyOf, describeAnswer, isSuccess, type Recording } from "../recording.ts";
import { readStream } from "../stream-view.ts";
import { failed, passed, plural, shown, type Verdict, warned } from "../verdict.ts";
import { hasEnd } from "./end.ts";
import { isStack } from "./refusal.ts";

/** A turn that was made to fail after its stream began. */
export function checkErrorChunk(recording: Recording): Verdict {
  if (!isSuccess(recording)) {
    const hasReason = recording.status >= 400 && bodyOf(recording).trim() !== "";
    return hasReason ? passed(`told before the stream: HTTP ${recording.status}`) : failed(describeAnswer(recording));
  }
  const { chunks } = readStream(recording);
  const error = chunks.find(({ type }) => type === "error");
  if (!error) return failed(`no error chunk; the last of ${plural(chunks.length, "chunk")} is ${chunks.at(-1)?.type}`);
  const text = typeof error.errorText === "string" ? error.errorText.trim() : "";
  if (text === "") return failed("the error chunk has no errorText");
  return isStack(text) ? warned(`errorText holds a stack trace: ${shown(text)}`) : passed();
}

/** A request that must be answered in full, whatever happened before it. */
export function checkAnswered(recording: Recording): Verdict {
  const view = readStream(recording);
  if (!isSuccess(recording) || view.chunks.length === 0) return failed(describeAnswer(recording));
  const error = view.chunks.find(({ type }) => type === "error");
  if (error) return failed(`the next message ends in an error: ${shown(String(error.errorText))}`);
  if (!hasEnd(view)) return failed(`the next message stops after ${plural(view.chunks.length, "chunk")}`);
  return passed(`after ${((recording.endedAt - recording.startedAt) / 1000).toFixed(1)} s`);
}
