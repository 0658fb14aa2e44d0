import fc from "fast-check";
import { Lexer } from "marked";
import { expect, test } from "vitest";
import { MarkdownReader } from "../src/lib/markdown-reader.ts";

/** Pieces that markdown cares about, and some that it does not. */
const piece = fc.constantFrom(
  "word ",
  "\n",
  "\n\n",
  "**",
  "`",
  "```\n",
  "```ts\n",
  "- item\n",
  "  - deeper\n",
  "1. first\n",
  "# Title\n",
  "> quote\n",
  "| a | b |\n",
  "| - | - |\n",
  "---\n",
  "    indented\n",
  "[link](https://example.com) ",
  "<b>",
  "\r\n",
  "\t",
);
const pieces = fc.array(piece, { maxLength: 40 });

const whole = (text: string) => Lexer.lex(text.replace(/\r\n?/g, "\n")).map(({ type, raw }) => ({ type, raw }));

test("a text that arrived piece by piece ends as if it had come at once", () => {
  fc.assert(
    fc.property(pieces, (parts) => {
      const reader = new MarkdownReader();
      let text = "";
      for (const part of parts) {
        text += part;
        reader.read(text, true);
      }
      const blocks = reader.read(text, false);
      expect(blocks.map(({ token, raw }) => ({ type: token.type, raw }))).toEqual(whole(text));
    }),
    { numRuns: 500 },
  );
});

test("blocks that can no longer change stay the same objects", () => {
  const reader = new MarkdownReader();
  const start = "First.\n\nSecond.\n\nThird.\n\nFourth.\n\n";
  const before = reader.read(start, true);
  const after = reader.read(`${start}Fifth and `, true);
  expect(after.slice(0, 5)).toEqual(before.slice(0, 5));
  for (const at of [0, 1, 2, 3, 4]) expect(after[at]).toBe(before[at]);
});

test("what is open at the end is shown as if it were closed", () => {
  const reader = new MarkdownReader();
  const [paragraph] = reader.read("Some **bold", true);
  expect(paragraph?.token).toMatchObject({ tokens: [{ type: "text" }, { type: "strong", text: "bold" }] });
  expect(reader.read("Some **bold", false)[0]?.raw).toBe("Some **bold");
});
