import type { Lane } from "../checks/concurrency.ts";
import type { Endpoint } from "../endpoint.ts";
import { FrameParser } from "../frames.ts";
import type { Profile } from "../profile.ts";
import type { Recording } from "../recording.ts";
import { chunkOf, readStream, textOf } from "../stream-view.ts";
import { ask, chatBody, newChatId, newId, promptName, userMessage } from "../visit.ts";

const CHATS = 5;
/** A person who stops has seen this many chunks. */
const CHUNKS_BEFORE_STOP = 4;

/** Closes the connection in mid-turn and sends the next message at once, as a client does after `stop()`. */
export async function driveStop(endpoint: Endpoint, prompt: string, next: string): Promise<Recording> {
  const chatId = newChatId();
  const question = userMessage(prompt);
  const parser = new FrameParser();
  let received = 0;
  const stopped = await endpoint.post(promptName(prompt), chatBody(chatId, [question]), (text, close) => {
    received += parser.feed(text).filter(chunkOf).length;
    if (received >= CHUNKS_BEFORE_STOP) close();
  });
  const partial = textOf(readStream(stopped).chunks) || "...";
  const history = [question, { id: `msg-${newId()}`, role: "assistant", text: partial } as const, userMessage(next)];
  return endpoint.post(promptName(next), chatBody(chatId, history));
}

/** The very same request, twice at once. */
export function driveRepeat(endpoint: Endpoint, prompt: string): Promise<Recording[]> {
  const body = chatBody(newChatId(), [userMessage(prompt)]);
  return Promise.all([1, 2].map(() => endpoint.post(promptName(prompt), body)));
}

export function driveChats(endpoint: Endpoint, profile: Profile): Promise<Lane[]> {
  const markers = Array.from({ length: CHATS }, (_, index) => `lane${index}x${newId().replaceAll("-", "")}`);
  return Promise.all(markers.map(async (marker) => ({ marker, recording: await ask(endpoint, profile.echo(marker)) })));
}
