import { countHelp, type DemoAnswer, type DemoCommand, type DemoTurn, readCount, say, sleep } from "./command.ts";
import { ToolCall } from "./tool-call.ts";
import { listFiles, writeInside } from "./workspace.ts";

const TOOL_MS = 20;
const EDIT_USAGE = "/edit FILE TEXT";

async function* listOnce(turn: DemoTurn): DemoAnswer {
  const call = new ToolCall("list_files");
  yield call.pending();
  yield call.running({ path: "." });
  yield call.completed({ files: await listFiles(turn.workspace) });
}

async function* list(turn: DemoTurn): DemoAnswer {
  yield* listOnce(turn);
  yield* say(turn, "That is what is in the workspace.");
}

async function* listOften(turn: DemoTurn): DemoAnswer {
  const count = readCount(turn.args);
  if (count === undefined) return yield* say(turn, countHelp("/tools N"));
  for (let index = 1; index <= count; index += 1) {
    yield* say(turn, `Call ${index} of ${count}.`);
    yield* listOnce(turn);
  }
  yield* say(turn, "All calls are done.");
}

async function* failTool(turn: DemoTurn): DemoAnswer {
  const call = new ToolCall("read_file");
  yield call.pending();
  yield call.running({ path: "missing.txt" });
  await sleep(turn, TOOL_MS);
  yield call.failed("There is no file missing.txt.");
  yield* say(turn, "The tool failed: there is no file missing.txt. I can go on without it.");
}

async function* progress(turn: DemoTurn): DemoAnswer {
  const call = new ToolCall("run_tests");
  yield call.pending();
  yield call.running({ suite: "all" });
  for (const percent of [25, 50, 75]) {
    await sleep(turn, TOOL_MS);
    yield call.progressed({ percent });
  }
  await sleep(turn, TOOL_MS);
  yield call.completed({ percent: 100, passed: true });
  yield* say(turn, "All tests passed.");
}

async function* streamArgs(turn: DemoTurn): DemoAnswer {
  const call = new ToolCall("search");
  const args = { query: "where is the answer", limit: 42 };
  yield call.pending();
  for (const piece of JSON.stringify(args).match(/.{1,6}/g) ?? []) {
    await sleep(turn, TOOL_MS);
    yield call.pending(piece);
  }
  yield call.running(args);
  yield call.completed({ matches: 1 });
  yield* say(turn, "I found it.");
}

async function* edit(turn: DemoTurn): DemoAnswer {
  const [, path, content] = /^(\S+)\s+([\s\S]+)$/.exec(turn.args) ?? [];
  if (path === undefined || content === undefined) return yield* say(turn, `Use \`${EDIT_USAGE}\`.`);
  const call = new ToolCall("write_file");
  yield call.pending();
  yield call.running({ path, content });
  try {
    await writeInside(turn.workspace, path, content);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    yield call.failed(message);
    return yield* say(turn, `I could not write the file: ${message}`);
  }
  yield call.completed({ path, bytes: Buffer.byteLength(content) });
  yield* say(turn, `I wrote ${path}.`);
}

export const toolCommands: Record<string, DemoCommand> = {
  tool: { usage: "/tool", help: "lists the workspace with a tool", run: list },
  tools: { usage: "/tools N", help: "calls a tool N times, with text between", run: listOften },
  "tool-error": { usage: "/tool-error", help: "calls a tool that fails", run: failTool },
  progress: { usage: "/progress", help: "calls a tool that shows partial results", run: progress },
  args: { usage: "/args", help: "calls a tool whose arguments arrive piece by piece", run: streamArgs },
  edit: { usage: EDIT_USAGE, help: "writes TEXT to a file of the workspace", run: edit },
};
