import { Conversation } from "./ai-sdk/conversation.ts";
import { ConversationMemory } from "./ai-sdk/memory.ts";
import type { ProgramSettings } from "./ai-sdk/program-settings.ts";
import { Turn } from "./ai-sdk/turn.ts";
import { messageOf } from "./ai-sdk-to-v2.ts";
import { runProgram } from "./program/run-program.ts";

const memory = new ConversationMemory(process.argv[2] ?? "");
const allowed = new Set<string>();
let ready: { settings: ProgramSettings; conversation: Conversation } | undefined;

/** The AI SDK agent's program. */
await runProgram<ProgramSettings>({
  settle(settings) {
    ready = { settings, conversation: new Conversation(settings, memory) };
  },
  async run({ prompt, questions, signal, tell }) {
    if (!ready) throw new Error("The agent was not told its settings.");
    const { approvals } = ready.settings;
    await ready.conversation.run(prompt, new Turn({ approvals, allowed, questions, signal, tell }));
  },
  describe: messageOf,
});
