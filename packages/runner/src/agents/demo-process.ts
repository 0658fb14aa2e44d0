import { answerPrompt, commandList } from "./demo/commands.ts";
import { DemoMemory } from "./demo/memory.ts";
import { runProgram } from "./program/run-program.ts";

const memory = new DemoMemory(process.argv[2] ?? "");
let toldCommands = false;

/** The demo agent's program. */
await runProgram({
  async run({ prompt, questions, signal, tell, flush }) {
    memory.begin(prompt);
    memory.addPrompt(prompt.text);
    if (!toldCommands) await tell(commandList);
    toldCommands = true;
    const turn = { prompts: memory.values, workspace: process.cwd(), questions, signal, flush };
    for await (const event of answerPrompt(turn, prompt.text)) {
      const full = tell(event);
      if (full) await full;
      if (signal.aborted) return;
    }
  },
});
