import { Lexer, type Token } from "marked";
import remend from "remend";

export type Block = { raw: string; token: Token };

/** What comes later can still change these many blocks at the end: a list goes on after a blank line. */
const UNSETTLED = 3;

/**
 * Reads a text that grows at its end. Blocks that can no longer change are neither read nor made again, so a long
 * message costs no more per delta than a short one.
 */
export class MarkdownReader {
  #text = "";
  #blocks: readonly Block[] = [];

  read(text: string, streaming: boolean): readonly Block[] {
    const source = text.replace(/\r\n?/g, "\n");
    const settled = streaming && source.startsWith(this.#text) ? this.#blocks.slice(0, -UNSETTLED) : [];
    const from = settled.reduce((length, { raw }) => length + raw.length, 0);
    const tail = source.slice(from);
    const tokens = Lexer.lex(tail);
    const whole = tokens.reduce((length, { raw }) => length + raw.length, 0) === tail.length;
    this.#blocks = [...settled, ...tokens.map((token, at) => this.#block(token, settled.length + at))];
    // Where the lexer rewrote the source its blocks say nothing about places in it: begin anew next time.
    this.#text = whole ? source : "\0";
    return streaming ? mendLast(this.#blocks) : this.#blocks;
  }

  /** A block that reads as before is the same object, so that nothing below it renders again. */
  #block(token: Token, at: number): Block {
    const before = this.#blocks[at];
    return before?.raw === token.raw && before.token.type === token.type ? before : { raw: token.raw, token };
  }
}

/** Closes what the agent has opened and not closed yet, so that half a `**word` is already bold. */
function mendLast(blocks: readonly Block[]): readonly Block[] {
  const last = blocks.at(-1);
  if (last === undefined || last.token.type === "code" || last.token.type === "space") return blocks;
  const mended = remend(last.raw, { linkMode: "text-only" });
  if (mended === last.raw) return blocks;
  const token = Lexer.lex(mended)[0];
  return token ? blocks.with(-1, { raw: mended, token }) : blocks;
}
