import { randomUUID } from "node:crypto";
import type { Answer } from "@agent-ops/shared/questions";
import { type DemoAnswer, type DemoCommand, type DemoTurn, say } from "./command.ts";
import type { DemoEvent } from "./messages.ts";
import { ToolCall } from "./tool-call.ts";
import { writeInside } from "./workspace.ts";

type Question = Omit<Extract<DemoEvent, { type: "question" }>, "type" | "questionId">;

/** Asks and waits; yields the question, returns the answer. */
async function* ask(turn: DemoTurn, question: Question): AsyncGenerator<DemoEvent, Answer> {
  const questionId = randomUUID();
  const answered = turn.questions.expect(questionId, turn.signal);
  yield { type: "question", questionId, ...question };
  return await answered;
}

async function* approve(turn: DemoTurn): DemoAnswer {
  const call = new ToolCall("run_command");
  const { callId, toolName } = call;
  yield call.pending();
  yield call.running({ command: "touch approved.txt" });
  const prompt = "Run `touch approved.txt`?";
  const answer = yield* ask(turn, { kind: "approval", prompt, callId, toolName });
  if (!("approved" in answer && answer.approved)) {
    const reason = "reason" in answer && answer.reason ? `: ${answer.reason}` : ".";
    yield call.failed(`The user refused${reason}`);
    return yield* say(turn, "You refused, so I left it alone.");
  }
  await writeInside(turn.workspace, "approved.txt", "");
  yield call.completed({ exitCode: 0 });
  yield* say(turn, "Done: approved.txt is there now.");
}

async function* choose(turn: DemoTurn): DemoAnswer {
  const options = [
    { value: "red", label: "Red", description: "Like a tomato" },
    { value: "green", label: "Green", description: "Like a meadow" },
    { value: "blue", label: "Blue", description: "Like the sea" },
  ];
  const answer = yield* ask(turn, { kind: "choice", prompt: "Which colour do you like?", options });
  yield* say(turn, "value" in answer ? `You chose "${answer.value}".` : "You did not choose.");
}

async function* fillIn(turn: DemoTurn): DemoAnswer {
  const schema = {
    type: "object",
    properties: {
      name: { type: "string", title: "Name", minLength: 1 },
      color: { type: "string", title: "Colour", enum: ["red", "green", "blue"] },
      count: { type: "integer", title: "How many", minimum: 1, maximum: 100 },
    },
    required: ["name", "color", "count"],
  };
  const answer = yield* ask(turn, { kind: "form", prompt: "What shall I order for you?", schema });
  const accepted = "action" in answer && answer.action === "accept";
  yield* say(turn, accepted ? `You ordered ${JSON.stringify(answer.content ?? {})}.` : "You did not fill in the form.");
}

export const questionCommands: Record<string, DemoCommand> = {
  approve: { usage: "/approve", help: "calls a tool that needs your approval", run: approve },
  ask: { usage: "/ask", help: "asks you to choose", run: choose },
  form: { usage: "/form", help: "asks you to fill in a form", run: fillIn },
};
