import { answerPrompt, commandList } from "./demo/commands.ts";
import { Memory } from "./demo/memory.ts";
import { runProgram } from "./program/run-program.ts";

const memory = new Memory(process.argv[2] ?? "");
let toldCommands = false;

/** The demo agent's program. */
await runProgram({
  async run({ prompt: { text }, questions, signal, tell, flush }) {
    memory.add(text);
    if (!toldCommands) await tell(commandList);
    toldCommands = true;
    const turn = { prompts: memory.prompts, workspace: process.cwd(), questions, signal, flush };
    for await (const event of answerPrompt(turn, text)) {
      const full = tell(event);
      if (full) await full;
      if (signal.aborted) return;
    }
  },
});
