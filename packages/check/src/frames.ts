/** What stands between two blank lines of an event stream. */
export type Frame = {
  /** The `data:` lines joined, as a client gets them; `undefined` where there are none. */
  readonly data: string | undefined;
  readonly comments: number;
  /** Lines that are no field of an event stream: clients pass over them. */
  readonly strange: readonly string[];
  /** Closed by a blank line; a client never sees one that is not. */
  readonly complete: boolean;
};

export const DONE = "[DONE]";
const FIELDS = new Set(["data", "event", "id", "retry"]);
/** A carriage return at the end may be half of a line break. */
const LINE_BREAK = /\r\n|\n|\r(?!$)/;

/** Event streams as the standard has them, however the bytes are cut. */
export class FrameParser {
  #rest = "";
  #lines: string[] = [];

  feed(text: string): Frame[] {
    const lines = (this.#rest + text).split(LINE_BREAK);
    this.#rest = lines.pop() ?? "";
    return lines.flatMap((line) => this.#take(line));
  }

  /** What was left open when the stream ended. */
  end(): Frame[] {
    const frames = this.#rest.endsWith("\r") ? this.#take(this.#rest.slice(0, -1)) : this.#keep(this.#rest);
    if (this.#lines.length === 0) return frames;
    return [...frames, frameOf(this.#lines, false)];
  }

  #take(line: string): Frame[] {
    if (line !== "") return this.#keep(line);
    const lines = this.#lines;
    this.#lines = [];
    return lines.length === 0 ? [] : [frameOf(lines, true)];
  }

  #keep(line: string): Frame[] {
    if (line !== "") this.#lines.push(line);
    return [];
  }
}

export function parseFrames(text: string): Frame[] {
  const parser = new FrameParser();
  return [...parser.feed(text), ...parser.end()];
}

function frameOf(lines: readonly string[], complete: boolean): Frame {
  const fields = lines.filter((line) => !line.startsWith(":")).map(readField);
  const data = fields.filter(({ name }) => name === "data");
  return {
    data: data.length === 0 ? undefined : data.map(({ value }) => value).join("\n"),
    comments: lines.length - fields.length,
    strange: fields.filter(({ name }) => !FIELDS.has(name)).map(({ line }) => line),
    complete,
  };
}

function readField(line: string): { line: string; name: string; value: string } {
  const colon = line.indexOf(":");
  if (colon === -1) return { line, name: line, value: "" };
  return { line, name: line.slice(0, colon), value: line.slice(colon + 1).replace(/^ /, "") };
}
