import { once } from "node:events";
import {
  countHelp,
  type DemoAnswer,
  type DemoCommand,
  type DemoTurn,
  readCount,
  say,
  sleep,
  textDelta,
  think,
} from "./command.ts";

const STREAM_MS = 20;
const STREAM_USAGE = "/stream N [ms]";

/** Keeps the pace over the whole run: a timer that fires late is made up for by the next ones. */
async function* stream(turn: DemoTurn): DemoAnswer {
  const [first, second] = turn.args.split(/\s+/);
  const count = readCount(first);
  const ms = second === undefined ? STREAM_MS : readPause(second);
  if (count === undefined || ms === undefined) return yield* say(turn, countHelp(STREAM_USAGE));
  const start = performance.now();
  for (let index = 0; index < count; index += 1) {
    const early = start + index * ms - performance.now();
    if (ms > 0 && early > 0) await sleep(turn, early);
    yield textDelta(`t${index} `);
  }
}

/** Milliseconds between two pieces; a part of one means several pieces each millisecond. */
function readPause(text: string): number | undefined {
  return /^0?\.\d{1,3}$/.test(text) ? Number(text) : readCount(text, 0);
}

async function* thinkFirst(turn: DemoTurn): DemoAnswer {
  yield* think(turn, "The user wants to see me think. I weigh two ways and take the simpler one.");
  yield* say(turn, "I thought about it, and the simple way will do.");
}

async function* steps(turn: DemoTurn): DemoAnswer {
  const count = readCount(turn.args);
  if (count === undefined) return yield* say(turn, countHelp("/steps N"));
  for (let step = 1; step <= count; step += 1) {
    if (step > 1) yield { type: "message.step" };
    yield* say(turn, `This is step ${step} of ${count}.`);
  }
}

/** Throws after a first word, so that a reader sees a turn fail in the middle. */
async function* fail(turn: DemoTurn): DemoAnswer {
  yield* say(turn, "Here it comes.");
  throw new Error("The demo agent failed on purpose, because you sent /error.");
}

async function* crash(turn: DemoTurn): DemoAnswer {
  yield* say(turn, "My process is about to");
  await turn.flush();
  process.kill(process.pid, "SIGKILL");
  await once(turn.signal, "abort");
}

// biome-ignore lint/correctness/useYield: it has nothing to say, which is the point.
async function* hang(turn: DemoTurn): DemoAnswer {
  await once(turn.signal, "abort");
}

async function* remember(turn: DemoTurn): DemoAnswer {
  const earlier = turn.prompts.slice(0, -1);
  if (earlier.length === 0) return yield* say(turn, "This is the first thing you ask me.");
  yield textDelta("You asked me before:\n\n");
  for (const prompt of earlier) yield textDelta(`- ${prompt}\n`);
}

async function* nothing(): DemoAnswer {}

export const textCommands: Record<string, DemoCommand> = {
  stream: { usage: STREAM_USAGE, help: "streams N pieces of text, ms apart (20; 0 for flat out)", run: stream },
  think: { usage: "/think", help: "thinks aloud, then answers", run: thinkFirst },
  steps: { usage: "/steps N", help: "answers in N steps", run: steps },
  error: { usage: "/error", help: "ends the turn with an error", run: fail },
  crash: { usage: "/crash", help: "its process dies in the middle of a sentence", run: crash },
  hang: { usage: "/hang", help: "says nothing until it is stopped", run: hang },
  remember: { usage: "/remember", help: "lists what you asked before", run: remember },
  empty: { usage: "/empty", help: "ends the turn without a word", run: nothing },
};
