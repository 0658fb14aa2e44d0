import { describe, expect, test } from "vitest";
import { DONE_FRAME, encodeFrame, KEEP_ALIVE, SSE_HEADERS } from "../src/sse.ts";

describe("SSE2 frames", () => {
  test("SSE2 a chunk is one data line, whatever is in it", () => {
    const frame = encodeFrame({ type: "text-delta", id: "text-1", delta: "a\n\ndata: b\r\u2028\ud83d" });
    expect(frame.match(/[\n\r]/g)).toHaveLength(2);
    expect(frame).toMatch(/^data: \{[^\n]*\}\n\n$/);
    expect(JSON.parse(frame.slice("data: ".length))).toEqual({
      type: "text-delta",
      id: "text-1",
      delta: "a\n\ndata: b\r\u2028\ud83d",
    });
  });

  test.each([
    ["message-start", { type: "start", messageId: "m" }],
    ["text-delta", { type: "text-delta", id: "1", delta: "a" }],
    ["message-finish", { type: "finish" }],
  ] as const)("SSE2 asked for names, a frame says %s", (name, chunk) => {
    expect(encodeFrame(chunk, "named")).toBe(`event: ${name}\n${encodeFrame(chunk)}`);
  });

  test("SSE2 keys that clients refuse are left out", () => {
    const output = JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":{}},"b":{"constructor":"kept"}}');
    const frame = encodeFrame({
      type: "tool-output-available",
      output,
      toolCallId: "1",
      providerExecuted: true,
      dynamic: true,
    });
    expect(frame).toContain('"output":{"b":{"constructor":"kept"}}');
  });

  test("SSE2 text that only speaks of such keys stays as it is", () => {
    const delta = '{"__proto__": 1}';
    expect(encodeFrame({ type: "text-delta", id: "1", delta })).toContain(JSON.stringify(delta));
  });

  test("SSE2 the end, the comment and the headers", () => {
    expect(DONE_FRAME).toBe("data: [DONE]\n\n");
    expect(KEEP_ALIVE).toBe(": keep-alive\n\n");
    expect(SSE_HEADERS).toEqual({
      "content-type": "text/event-stream",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
      "x-vercel-ai-ui-message-stream": "v1",
    });
  });
});
