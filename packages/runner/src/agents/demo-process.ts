import { answerPrompt, commandList } from "./demo/commands.ts";
import { Memory } from "./demo/memory.ts";
import { readLines } from "./lines.ts";
import type { ToProgram } from "./program/messages.ts";
import { Output } from "./program/output.ts";
import { Questions } from "./program/questions.ts";

const STDOUT = 1;

/** The demo agent's program: prompts come in as JSON lines, events go out the same way. It ends with its input. */
const output = new Output(STDOUT);
const questions = new Questions();
const turns = new Map<string, AbortController>();
let toldCommands = false;
const memory = new Memory(process.argv[2] ?? "");

function take(message: ToProgram): void {
  switch (message.type) {
    case "settings":
      return;
    case "prompt":
      void runTurn(message.turnId, message.text);
      return;
    case "abort":
      turns.get(message.turnId)?.abort();
      return;
    case "answer":
      return questions.answer(message.questionId, message.answer);
    default:
      message satisfies never;
  }
}

async function runTurn(turnId: string, prompt: string): Promise<void> {
  const controller = new AbortController();
  turns.set(turnId, controller);
  try {
    memory.add(prompt);
    if (!toldCommands) output.add(turnId, commandList);
    toldCommands = true;
    await tell(turnId, prompt, controller.signal);
    output.end({ type: "end", turnId });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    output.end(controller.signal.aborted ? { type: "end", turnId } : { type: "failed", turnId, message });
  }
  turns.delete(turnId);
}

async function tell(turnId: string, prompt: string, signal: AbortSignal): Promise<void> {
  const flush = () => output.flush();
  const turn = { prompts: memory.prompts, workspace: process.cwd(), questions, signal, flush };
  for await (const event of answerPrompt(turn, prompt)) {
    const full = output.add(turnId, event);
    if (full) await full;
    if (signal.aborted) return;
  }
}

for await (const line of readLines(process.stdin)) {
  const message: ToProgram = JSON.parse(line);
  take(message);
}
process.exit();
