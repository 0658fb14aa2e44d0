import type { AgentPrompt } from "../../agent-client.ts";
import { readLines } from "../lines.ts";
import type { ProgramEvent, ToProgram } from "./messages.ts";
import { Output } from "./output.ts";
import { Questions } from "./questions.ts";

const STDOUT = 1;

/** A turn as an agent's program sees it. */
interface ProgramTurn {
  prompt: AgentPrompt;
  questions: Questions;
  signal: AbortSignal;
  /** Says something; a promise asks to wait before the next. */
  tell(event: ProgramEvent): Promise<void> | undefined;
  /** Resolves when all that was said so far has left the process. */
  flush(): Promise<void>;
}

interface Program<Settings> {
  /** What it is told before its first turn, where it has settings. */
  settle?(settings: Settings): void;
  run(turn: ProgramTurn): Promise<void>;
  /** A failure in words for people. */
  describe?(error: unknown): string;
}

/** The program of an agent of ours: JSON lines come in, events go out. It ends with its input. */
export async function runProgram<Settings = never>(program: Program<Settings>): Promise<never> {
  const desk = new Desk(program);
  for await (const line of readLines(process.stdin)) desk.take(JSON.parse(line));
  process.exit();
}

class Desk<Settings> {
  #program: Program<Settings>;
  #output = new Output(STDOUT);
  #questions = new Questions();
  #turns = new Map<string, AbortController>();

  constructor(program: Program<Settings>) {
    this.#program = program;
  }

  take(message: ToProgram<Settings>): void {
    switch (message.type) {
      case "settings":
        return this.#program.settle?.(message.settings);
      case "prompt":
        return void this.#run(message);
      case "abort":
        return this.#turns.get(message.turnId)?.abort();
      case "answer":
        return this.#questions.answer(message.questionId, message.answer);
      default:
        message satisfies never;
    }
  }

  async #run(prompt: AgentPrompt): Promise<void> {
    const { turnId } = prompt;
    const controller = new AbortController();
    const { signal } = controller;
    this.#turns.set(turnId, controller);
    const tell = (event: ProgramEvent) => this.#output.add(turnId, event);
    try {
      await this.#program.run({ prompt, questions: this.#questions, signal, tell, flush: () => this.#output.flush() });
      this.#output.end({ type: "end", turnId });
    } catch (error) {
      const message = (this.#program.describe ?? plainly)(error);
      this.#output.end(signal.aborted ? { type: "end", turnId } : { type: "failed", turnId, message });
    }
    this.#turns.delete(turnId);
  }
}

function plainly(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
