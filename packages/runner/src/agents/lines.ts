import type { Readable } from "node:stream";

/** Whoever says more than this in one line would go on until memory ends. */
const LINE_CHARS = 32 * 1024 * 1024;

/** The lines of a stream, read no faster than they are taken. Throws where one is too long. */
export async function* readLines(stream: Readable, limit = LINE_CHARS): AsyncGenerator<string> {
  stream.setEncoding("utf8");
  let rest = "";
  for await (const chunk of stream) {
    rest += chunk;
    if (chunk.includes("\n")) {
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
    if (rest.length > limit) throw new Error("A line is too long.");
  }
}
