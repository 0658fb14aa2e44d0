export type SlashCommand = { name: string; usage: string; help: string };

/** The demo agent's commands that are worth a try; `/help` lists them all. */
const DEMO: readonly SlashCommand[] = [
  { name: "help", usage: "/help", help: "What the demo agent can do" },
  { name: "tour", usage: "/tour", help: "Thinks, calls tools and asks for approval in one turn" },
  { name: "think", usage: "/think", help: "Reasoning first, then an answer" },
  { name: "tools", usage: "/tools 3", help: "Three tool calls with text between" },
  { name: "progress", usage: "/progress", help: "A tool that shows partial results" },
  { name: "tool-error", usage: "/tool-error", help: "A tool that fails" },
  { name: "approve", usage: "/approve", help: "A tool that asks before it runs" },
  { name: "ask", usage: "/ask", help: "A question with choices" },
  { name: "form", usage: "/form", help: "A form to fill in" },
  { name: "edit", usage: "/edit notes.md # Notes", help: "Writes a file of the workspace" },
  { name: "stream", usage: "/stream 400 10", help: "A long answer, word by word" },
  { name: "error", usage: "/error", help: "A turn that fails" },
];

/** The commands that an agent is known to take. */
export function commandsOf(agent: string | undefined): readonly SlashCommand[] {
  return agent === "demo" ? DEMO : [];
}

/** Those that the text, so far, may become. */
export function matchCommands(text: string, commands: readonly SlashCommand[]): readonly SlashCommand[] {
  const typed = /^\/([\w-]*)$/.exec(text)?.[1];
  return typed === undefined ? [] : commands.filter(({ name }) => name.startsWith(typed.toLowerCase()));
}
