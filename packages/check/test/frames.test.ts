import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FrameParser, parseFrames } from "../src/frames.ts";
import { readStream } from "../src/stream-view.ts";
import { recording } from "./support/recordings.ts";

const line = fc.constantFrom("data: a", "data:b", "data", ": comment", "event: x", "odd line", "", "", "id: 1");
const lineBreak = fc.constantFrom("\n", "\r\n", "\r");
const body = fc.array(fc.tuple(line, lineBreak)).map((lines) => lines.map(([text, end]) => text + end).join(""));

describe("frames", () => {
  test("are the same however the bytes are cut", () => {
    fc.assert(
      fc.property(body, fc.array(fc.nat({ max: 40 }), { maxLength: 8 }), (text, sizes) => {
        const parser = new FrameParser();
        const frames = [];
        let rest = text;
        for (const size of sizes) {
          frames.push(...parser.feed(rest.slice(0, size)));
          rest = rest.slice(size);
        }
        expect([...frames, ...parser.feed(rest), ...parser.end()]).toEqual(parseFrames(text));
      }),
    );
  });

  test.each([
    ["data: a\n\n", { data: "a", comments: 0, strange: [], complete: true }],
    ["data:  a\r\ndata:b\r\n\r\n", { data: " a\nb", comments: 0, strange: [], complete: true }],
    ["data\r\r", { data: "", comments: 0, strange: [], complete: true }],
    [": ping\n\n", { data: undefined, comments: 1, strange: [], complete: true }],
    ['0:"old"\n\n', { data: undefined, comments: 0, strange: ['0:"old"'], complete: true }],
    ["data: a\n", { data: "a", comments: 0, strange: [], complete: false }],
    ["data: a", { data: "a", comments: 0, strange: [], complete: false }],
  ])("%j", (text, frame) => {
    expect(parseFrames(text)).toEqual([frame]);
  });

  test("content that clients refuse is no chunk", () => {
    const bodies = ["{", "", '{"type":"finish","__proto__":{}}', '{"type":"finish","constructor":{"prototype":{}}}'];
    for (const data of bodies) {
      const { chunks, payloads } = readStream(recording(`data: ${data}\n\n`));
      expect([chunks, payloads]).toEqual([[], [{ text: data, problem: expect.any(String) }]]);
    }
    expect(readStream(recording('data: {"type":"finish","constructor":1}\n\n')).chunks).toHaveLength(1);
    expect(readStream(recording('data: {"type":"fin')).payloads).toEqual([]);
  });
});
