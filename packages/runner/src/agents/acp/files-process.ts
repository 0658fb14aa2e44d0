import { readLines } from "../lines.ts";
import { OutsideError, readInside, writeInside } from "./files.ts";
import { type FilesAnswer, type FilesRequest, filesRequest } from "./files-messages.ts";

/**
 * Reads and writes files for an agent, as the agent's own user: whatever a path turns out to be, it leads no further than
 * the agent could go by itself. Requests come in as JSON lines, answers go out the same way. It ends with its input.
 */
const workspace = process.cwd();

async function carryOut(request: FilesRequest): Promise<FilesAnswer> {
  const { id } = request;
  try {
    if (request.type === "read") return { id, outcome: "done", content: await readInside(workspace, request) };
    await writeInside(workspace, request.path, request.content);
    return { id, outcome: "done", content: "" };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { id, outcome: error instanceof OutsideError ? "outside" : "failed", message };
  }
}

for await (const line of readLines(process.stdin)) {
  const answer = await carryOut(filesRequest.parse(JSON.parse(line)));
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
