import type { StreamChunk } from "@agent-ops/ai-sdk/stream-checker";
import type { Handler } from "./serve.ts";
import { pause, Tape } from "./tape.ts";

/** Something to send, or a pause in milliseconds. */
export type Step = StreamChunk | number;

export type Posted = { readonly id: string; readonly prompt: string; readonly messageId: string };

/** A sound chat endpoint; each option replaces one thing, usually by something broken. */
export type EndpointScript = {
  readonly headers?: Record<string, string>;
  /** How many chunks the answer has depends on the prompt; `run` counts the turns. */
  readonly steps?: (posted: Posted, run: number) => Step[];
  readonly encode?: (chunk: StreamChunk) => string;
  readonly tail?: string;
  /** An answer in place of the stream. */
  readonly answer?: (posted: Posted) => Response;
  /** What a resumed reader gets of the chunks of the turn. */
  readonly resumed?: (chunks: AsyncIterable<StreamChunk>, from: number) => AsyncIterable<StreamChunk>;
  readonly idleStatus?: number;
  readonly keepAliveMs?: number;
  /** A message that was seen before joins its turn. */
  readonly joins?: boolean;
};

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
  "x-vercel-ai-ui-message-stream": "v1",
};
const PAUSE_MS = 12;
export const SLOW_PROMPT = "be slow";
export const SILENCE_MS = 1_200;
export const KEEP_ALIVE_MS = 150;

export function scriptedEndpoint(script: EndpointScript): Handler {
  const turns = new Map<string, Tape<StreamChunk>>();
  const running = new Map<string, Tape<StreamChunk>>();
  let run = 0;

  const post = (posted: Posted): Response => {
    if (script.answer) return script.answer(posted);
    run += 1;
    const known = script.joins === false ? undefined : turns.get(posted.messageId);
    const turn = known ?? play((script.steps ?? answerSteps)(posted, run));
    turns.set(posted.messageId, turn);
    running.set(posted.id, turn);
    return streamed(script, turn.read());
  };
  const resume = (chatId: string, from: number): Response => {
    const turn = running.get(chatId);
    if (!turn || turn.isOver) return new Response(null, { status: script.idleStatus ?? 204 });
    return streamed(script, script.resumed ? script.resumed(turn.read(), from) : turn.read(from));
  };
  return async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    const chatId = /^\/api\/chat\/([^/]+)\/stream$/.exec(pathname)?.[1];
    if (chatId !== undefined) return resume(chatId, Number(searchParams.get("startIndex") ?? 0));
    const posted = readPosted(await request.text());
    return typeof posted === "string" ? new Response(posted, { status: 400 }) : post(posted);
  };
}

function play(steps: readonly Step[]): Tape<StreamChunk> {
  const tape = new Tape<StreamChunk>();
  void (async () => {
    for (const step of steps) {
      if (typeof step === "number") await pause(step);
      else tape.add(step);
    }
    tape.end();
  })();
  return tape;
}

/** What was posted, or what is wrong with it. */
export function readPosted(body: string): Posted | string {
  try {
    const { id, messages } = JSON.parse(body);
    const message = messages.at(-1);
    if (message === undefined) return "There are no messages.";
    const prompt = message.parts.map((part: { text: string }) => part.text).join("");
    return prompt === "" ? "The message is empty." : { id, prompt, messageId: message.id };
  } catch {
    return "This is not JSON.";
  }
}

export function words({ prompt }: Posted): string[] {
  return Array.from({ length: 16 }, (_, index) => `${index} `).concat(prompt);
}

/** A whole answer: text word by word, with the prompt at its end. */
export function answerSteps(posted: Posted): Step[] {
  const deltas = words(posted).flatMap((delta): Step[] => [PAUSE_MS, { type: "text-delta", id: "t", delta }]);
  const silence = posted.prompt === SLOW_PROMPT ? [SILENCE_MS] : [];
  return [
    { type: "start", messageId: `answer-to-${posted.messageId}` },
    { type: "start-step" },
    ...silence,
    { type: "text-start", id: "t" },
    ...deltas,
    { type: "text-end", id: "t" },
    { type: "finish-step" },
    { type: "finish" },
  ];
}

function streamed(script: EndpointScript, chunks: AsyncIterable<StreamChunk>): Response {
  const encode = script.encode ?? ((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
  const encoder = new TextEncoder();
  let timer: NodeJS.Timeout | undefined;
  const iterator = chunks[Symbol.asyncIterator]();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const keepAliveMs = script.keepAliveMs ?? KEEP_ALIVE_MS;
      timer = setInterval(() => controller.enqueue(encoder.encode(": keep-alive\n\n")), keepAliveMs);
    },
    async pull(controller) {
      const { done, value } = await iterator.next();
      controller.enqueue(encoder.encode(done ? (script.tail ?? "data: [DONE]\n\n") : encode(value)));
      if (!done) return;
      clearInterval(timer);
      controller.close();
    },
    cancel: () => clearInterval(timer),
  });
  return new Response(body, { headers: script.headers ?? HEADERS });
}
