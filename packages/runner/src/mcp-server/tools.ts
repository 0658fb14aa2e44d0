import { LIMITS } from "@agent-ops/shared/limits";
import { z } from "zod";
import type { Desk } from "./desk.ts";

const option = z.object({ value: z.string().min(1), label: z.string().min(1), description: z.string().optional() });

const askUser = z.object({
  question: z.string().min(1).max(4_000).describe("What to ask."),
  options: z.array(option).min(2).max(50).optional().describe("What the person can choose from; free text without it."),
});
const setTitle = z.object({
  title: z.string().trim().min(1).max(LIMITS.titleChars).describe("The session's new title."),
});
const spawnSession = z.object({
  prompt: z
    .string()
    .trim()
    .min(1)
    .max(LIMITS.promptChars)
    .describe("What the other agent is to do. It knows nothing else."),
  title: z.string().trim().min(1).max(LIMITS.titleChars).optional().describe("What the child session is called."),
});

interface Tool<Shape extends z.ZodType = z.ZodType> {
  description: string;
  input: Shape;
  run(desk: Desk, input: z.infer<Shape>, signal: AbortSignal): Promise<string>;
}

const tool = <Shape extends z.ZodType>(definition: Tool<Shape>): Tool => ({
  ...definition,
  run: (desk, input, signal) => definition.run(desk, definition.input.parse(input), signal),
});

/** TOOL1 to TOOL3: what the runner does for any agent. */
const TOOLS: ReadonlyMap<string, Tool> = new Map([
  [
    "ask_user",
    tool({
      description: "Asks the people in this session a question and waits for the answer, which may take long.",
      input: askUser,
      run: async (desk, { question, options }, signal) => {
        const asked = options
          ? { kind: "choice" as const, prompt: question, options }
          : { kind: "text" as const, prompt: question };
        const answer = await desk.ask(asked, signal);
        return "value" in answer ? answer.value : "There was no answer.";
      },
    }),
  ],
  [
    "set_title",
    tool({
      description: "Sets the title of this session as people see it, unless a person has chosen one.",
      input: setTitle,
      run: async (desk, { title }) => {
        await desk.tell({ type: "title", title });
        return "The title is set.";
      },
    }),
  ],
  [
    "spawn_session",
    tool({
      description: "Starts a child session, in which another agent works on a task of its own. Does not wait for it.",
      input: spawnSession,
      run: async (desk, wish) => `The child session ${await desk.spawn(wish)} has started.`,
    }),
  ],
]);

export function toolList(): object[] {
  return [...TOOLS].map(([name, { description, input }]) => ({
    name,
    description,
    inputSchema: z.toJSONSchema(input),
  }));
}

export type ToolResult = { content: { type: "text"; text: string }[]; isError?: true };

/** Undefined where there is no such tool. What goes wrong is a result too, for the model to read. */
export async function callTool(
  desk: Desk,
  name: string,
  input: unknown,
  signal: AbortSignal,
): Promise<ToolResult | undefined> {
  const found = TOOLS.get(name);
  if (!found) return undefined;
  try {
    return { content: [{ type: "text", text: await found.run(desk, input, signal) }] };
  } catch (error) {
    const text =
      error instanceof z.ZodError ? z.prettifyError(error) : error instanceof Error ? error.message : String(error);
    return { content: [{ type: "text", text }], isError: true };
  }
}
