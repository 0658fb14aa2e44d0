import {
  createUIMessageStream,
  createUIMessageStreamResponse,
  UI_MESSAGE_STREAM_HEADERS,
  type UIMessageStreamWriter,
} from "ai7";
import { KEEP_ALIVE_MS, readPosted, SILENCE_MS, SLOW_PROMPT, words } from "./scripted-endpoint.ts";
import type { Handler } from "./serve.ts";
import { pause, Tape } from "./tape.ts";

export const FAILING_PROMPT = "please fail";

/** An endpoint as the SDK's documentation makes it: no resuming, no memory. */
export const plainSdkEndpoint: Handler = async (request) => {
  if (request.method !== "POST") return new Response("Not found", { status: 404 });
  const posted = readPosted(await request.text());
  if (typeof posted === "string") return new Response(posted, { status: 400 });
  const stream = createUIMessageStream({ execute: ({ writer }) => write(writer, posted), onError: String });
  return createUIMessageStreamResponse({ stream });
};

/** The same with what the SDK offers for it: kept streams for those who come back, and keep-alives. */
export function resumableSdkEndpoint(): Handler {
  const tapes = new Map<string, Tape<string>>();
  return async (request) => {
    if (request.method !== "POST") return replay(tapes.get(new URL(request.url).pathname.split("/").at(-2) ?? ""));
    const posted = readPosted(await request.text());
    if (typeof posted === "string") return new Response(posted, { status: 400 });
    const tape = new Tape<string>();
    tapes.set(posted.id, tape);
    return createUIMessageStreamResponse({
      stream: createUIMessageStream({ execute: ({ writer }) => write(writer, posted), onError: String }),
      keepAliveMs: KEEP_ALIVE_MS,
      consumeSseStream: ({ stream }) => record(stream, tape),
    });
  };
}

async function write(writer: UIMessageStreamWriter, posted: Parameters<typeof words>[0]): Promise<void> {
  writer.write({ type: "start" });
  writer.write({ type: "start-step" });
  if (posted.prompt === SLOW_PROMPT) await pause(SILENCE_MS);
  writer.write({ type: "text-start", id: "t" });
  for (const delta of words(posted)) {
    writer.write({ type: "text-delta", id: "t", delta });
    await pause(12);
    if (posted.prompt === FAILING_PROMPT) throw new Error("It failed as you asked.");
  }
  writer.write({ type: "text-end", id: "t" });
  writer.write({ type: "finish-step" });
  writer.write({ type: "finish", finishReason: "stop" });
}

async function record(stream: ReadableStream<string>, tape: Tape<string>): Promise<void> {
  for await (const frame of stream) tape.add(frame);
  tape.end();
}

function replay(tape: Tape<string> | undefined): Response {
  if (!tape || tape.isOver) return new Response(null, { status: 204 });
  const frames = ReadableStream.from(tape.read()).pipeThrough(new TextEncoderStream());
  return new Response(frames, { headers: UI_MESSAGE_STREAM_HEADERS });
}
