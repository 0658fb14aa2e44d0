import { planFaults, type TimedFault } from "./fault-plan.ts";
import { Random } from "./random.ts";

export type Size = { sessions: number; seconds: number };

/** How a prompt reaches its session: the V2 socket, a bare POST, or a real AI SDK client. */
type Way = "socket" | "post" | "chat";

export type PlannedPrompt = {
  /** Unique in the campaign and part of the text, so that it is found again wherever the prompt got to. */
  tag: string;
  text: string;
  way: Way;
  /** Whether the next prompt waits for the end of this one's turn, or queues behind it. */
  waits: boolean;
  pauseMs: number;
  /** Sent two times at once under one id. */
  twice: boolean;
  /** So long after it was taken somebody wants its turn to stop. */
  stopMs: number | undefined;
};

export type PlannedSession = {
  prompts: PlannedPrompt[];
  /** How long each of two people thinks about the n-th question, over and over. */
  answerDelays: [number, number][];
  sdk: "5" | "6" | "7";
};

export type Plan = { seed: number; size: Size; sessions: PlannedSession[]; faults: TimedFault[] };

const ANSWER_DELAYS = 16;
/** The quickest that prompts can follow each other. */
const PROMPTS_A_SECOND = 3;

/** What is asked, and what goes wrong when: the same for the same seed and size. */
export function planCampaign(seed: number, size: Size): Plan {
  const random = new Random(seed);
  const faults = planFaults(random.fork(), size);
  const sessions = Array.from({ length: size.sessions }, (_, index) => planSession(random.fork(), index, size));
  return { seed, size, sessions, faults };
}

function planSession(random: Random, index: number, { seconds }: Size): PlannedSession {
  const count = Math.ceil(seconds * PROMPTS_A_SECOND);
  const delay = () => random.pick([0, 0, random.int(0, 20), random.int(0, 300)]);
  return {
    sdk: random.pick(["5", "6", "7"]),
    answerDelays: Array.from({ length: ANSWER_DELAYS }, () => [delay(), delay()]),
    prompts: Array.from({ length: count }, (_, number) => planPrompt(random, `s${index}p${number}`)),
  };
}

function planPrompt(random: Random, tag: string): PlannedPrompt {
  const way = random.weighted<Way>([
    [5, "socket"],
    [4, "post"],
    [2, "chat"],
  ]);
  const stopMs = way === "socket" && random.chance(0.25) ? random.int(0, 500) : undefined;
  const command = stopMs !== undefined && random.chance(0.3) ? "/hang" : planCommand(random);
  return {
    tag,
    text: `${command} ${tag}`,
    way,
    stopMs,
    waits: random.chance(0.6),
    pauseMs: random.int(0, 250),
    twice: way !== "chat" && random.chance(0.25),
  };
}

/** Commands of the demo agent; most are quick streams, since those leave the most to lose. */
function planCommand(random: Random): string {
  const stream = () => `/stream ${random.int(100, 800)} ${random.int(1, 4)}`;
  const make = random.weighted<() => string>([
    [12, stream],
    [3, () => random.pick(["/ask", "/approve"])],
    [3, () => random.pick(["/think", "/tool", "/args", "/progress", "/tool-error"])],
    [1, () => random.pick(["/tour", "/empty", "/error"])],
    [1, () => "Hello"],
  ]);
  return make();
}
