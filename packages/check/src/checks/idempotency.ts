import { describeAnswer, isSuccess, type Recording } from "../recording.ts";
import { messageIdOf, readStream, textOf } from "../stream-view.ts";
import { failed, passed, shown, type Verdict, warned } from "../verdict.ts";

/**
 * One message, posted twice at once. The protocol does not ask for idempotency, so an endpoint that never promised it
 * and plainly makes two messages of it is warned; two texts under one id are wrong everywhere.
 */
export function checkIdempotency(recordings: readonly Recording[], isPromised: boolean): Verdict {
  const answered = recordings.filter(isSuccess);
  const [first, second] = answered.map((recording) => readStream(recording).chunks);
  if (!first) return failed(recordings[0] ? describeAnswer(recordings[0]) : "no answer");
  if (!second) return checkRefused(recordings);
  const ids = [messageIdOf(first), messageIdOf(second)];
  if (textOf(first) !== textOf(second)) {
    const seen = `two answers: ${shown(textOf(first))} and ${shown(textOf(second))}`;
    return isPromised || (ids[0] === ids[1] && ids[0] !== undefined) ? failed(seen) : warned(seen);
  }
  if (ids[0] === ids[1]) return passed();
  const seen = `two messages: ${ids.join(" and ")}`;
  return isPromised ? failed(seen) : warned(seen);
}

function checkRefused(recordings: readonly Recording[]): Verdict {
  const refused = recordings.find((recording) => !isSuccess(recording));
  if (refused && refused.status >= 400 && refused.status < 500) return passed(`the second got HTTP ${refused.status}`);
  return failed(refused ? describeAnswer(refused) : "no answer");
}
