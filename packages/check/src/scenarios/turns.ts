import { ask, Chat, newId } from "../chat.ts";
import type { Lane } from "../checks/concurrency.ts";
import type { Endpoint } from "../endpoint.ts";
import { FrameParser } from "../frames.ts";
import type { Profile } from "../profile.ts";
import type { Recording } from "../recording.ts";
import { chunkOf } from "../stream-view.ts";

const CHATS = 5;
/** A person who stops has seen this many chunks. */
const CHUNKS_BEFORE_STOP = 4;

/** Closes the connection in mid-turn and sends the next message at once, as a client does after `stop()`. */
export async function driveStop(endpoint: Endpoint, { stopped, echo }: Profile): Promise<Recording> {
  const chat = new Chat(endpoint);
  const parser = new FrameParser();
  let received = 0;
  await chat.send(stopped, (text, close) => {
    received += parser.feed(text).filter(chunkOf).length;
    if (received >= CHUNKS_BEFORE_STOP) close();
  });
  return chat.send(echo("again"));
}

/** Chats at the same time, each with a word of its own. */
export function driveChats(endpoint: Endpoint, profile: Profile): Promise<Lane[]> {
  const markers = Array.from({ length: CHATS }, (_, index) => `lane${index}x${newId().replaceAll("-", "")}`);
  return Promise.all(markers.map(async (marker) => ({ marker, recording: await ask(endpoint, profile.echo(marker)) })));
}
