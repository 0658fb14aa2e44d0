import { bodyOf, describeAnswer, isSuccess, type Recording } from "../recording.ts";
import { hasBody, readStream } from "../stream-view.ts";
import { failed, passed, type Verdict, warned } from "../verdict.ts";

/** The answer to a request that cannot be answered. */
export function checkRefusal(recording: Recording): Verdict {
  const { status } = recording;
  if (isSuccess(recording)) return checkAcceptance(recording);
  if (status >= 400 && status < 500) return checkReason(recording);
  if (status >= 500 && bodyOf(recording).trim() !== "") {
    return warned(`${describeAnswer(recording)}: a mistake of the client counts as one of the server`);
  }
  return failed(describeAnswer(recording));
}

function checkReason(recording: Recording): Verdict {
  const reason = bodyOf(recording).trim();
  if (reason === "") return failed(`HTTP ${recording.status} with an empty body: the client's error has no message`);
  if (reason.startsWith("<")) return warned(`HTTP ${recording.status} with a page of HTML, which is shown as it is`);
  if (isStack(reason)) return warned(`HTTP ${recording.status} with a stack trace in its body`);
  return passed(`HTTP ${recording.status}`);
}

/** It was taken for a request all the same. */
function checkAcceptance(recording: Recording): Verdict {
  const view = readStream(recording);
  if (!hasBody(view) || view.chunks.length === 0) return failed(describeAnswer(recording));
  const end = view.chunks.at(-1)?.type;
  if (end === "error")
    return warned(`HTTP ${recording.status} and an error chunk: proxies and logs count it as a success`);
  return warned(`HTTP ${recording.status} and an answer, as if it were an ordinary request`);
}

export function isStack(text: string): boolean {
  return /(?:\n|\\n)\s+at \S+/.test(text);
}
