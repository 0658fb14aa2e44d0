import type { StreamChunk } from "@agent-ops/ai-sdk/stream-checker";
import { describeAnswer, isSuccess, type Recording } from "../recording.ts";
import { messageIdOf, readStream, textOf } from "../stream-view.ts";
import { failed, passed, plural, skipped, type Verdict } from "../verdict.ts";

/** A chat that ran beside others, and the word that only its own answer may hold. */
export type Lane = { readonly marker: string; readonly recording: Recording };

export function checkConcurrency(lanes: readonly Lane[]): Verdict {
  const refused = lanes.find(({ recording }) => !isSuccess(recording));
  if (refused) return failed(`one of ${plural(lanes.length, "chat")} got ${describeAnswer(refused.recording)}`);
  const answers = lanes.map(({ marker, recording }) => ({ marker, chunks: readStream(recording).chunks }));
  for (const { marker, chunks } of answers) {
    const foreign = lanes.find((lane) => lane.marker !== marker && textOf(chunks).includes(lane.marker));
    if (foreign) return failed(`the chat that sent ${marker} got the answer to ${foreign.marker}`);
  }
  return checkIds(answers);
}

function checkIds(answers: readonly { marker: string; chunks: readonly StreamChunk[] }[]): Verdict {
  const echoes = answers.filter(({ marker, chunks }) => textOf(chunks).includes(marker)).length;
  const ids = answers.map(({ chunks }) => messageIdOf(chunks)).filter((id) => id !== undefined);
  if (new Set(ids).size < ids.length) return failed(`two chats got a message with the same id: ${ids.join(", ")}`);
  if (echoes === answers.length) return passed(`${plural(echoes, "chat")}, each with its own answer`);
  if (ids.length === answers.length) return passed(`${plural(ids.length, "chat")} with ids of their own`);
  return skipped("the answers neither repeat the prompt nor have message ids");
}
