import type { AgentPrompt } from "../agent-client.ts";
import { Conversation } from "./ai-sdk/conversation.ts";
import { Memory } from "./ai-sdk/memory.ts";
import type { ProgramSettings } from "./ai-sdk/program-settings.ts";
import { Turn } from "./ai-sdk/turn.ts";
import { messageOf } from "./ai-sdk-to-v2.ts";
import { readLines } from "./lines.ts";
import type { ToProgram } from "./program/messages.ts";
import { Output } from "./program/output.ts";
import { Questions } from "./program/questions.ts";

const STDOUT = 1;

/** The AI SDK agent's program: settings and prompts come in as JSON lines, events go out. It ends with its input. */
const output = new Output(STDOUT);
const questions = new Questions();
const turns = new Map<string, AbortController>();
const allowed = new Set<string>();
const memory = new Memory(process.argv[2] ?? "");
let settings: ProgramSettings | undefined;
let conversation: Conversation | undefined;

function take(message: ToProgram<ProgramSettings>): void {
  switch (message.type) {
    case "settings":
      settings = message.settings;
      conversation = new Conversation(settings, memory);
      return;
    case "prompt":
      void runTurn(message);
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

async function runTurn(prompt: AgentPrompt): Promise<void> {
  const { turnId } = prompt;
  const controller = new AbortController();
  const { signal } = controller;
  turns.set(turnId, controller);
  try {
    if (!settings || !conversation) throw new Error("The agent was not told its settings.");
    const { approvals } = settings;
    const tell = (event: Parameters<Output["add"]>[1]) => output.add(turnId, event);
    await conversation.run(prompt, new Turn({ approvals, allowed, questions, signal, tell }));
    output.end({ type: "end", turnId });
  } catch (error) {
    output.end(signal.aborted ? { type: "end", turnId } : { type: "failed", turnId, message: messageOf(error) });
  }
  turns.delete(turnId);
}

for await (const line of readLines(process.stdin)) take(JSON.parse(line));
process.exit();
