import type { StreamChunk } from "@agent-ops/ai-sdk/stream-checker";
import { describe, expect, test } from "vitest";
import type { CheckId } from "../src/catalogue.ts";
import type { CheckOptions } from "../src/run-check.ts";
import { check, idsOf } from "./support/outcome.ts";
import {
  answerSteps,
  type EndpointScript,
  type Posted,
  type Step,
  scriptedEndpoint,
} from "./support/scripted-endpoint.ts";

type Case = [what: string, caught: CheckId[], script: EndpointScript, options?: Partial<CheckOptions>];

const SSE = { "content-type": "text/event-stream", "cache-control": "no-cache", "x-accel-buffering": "no" };
const frame = (chunk: StreamChunk) => `data: ${JSON.stringify(chunk)}\n\n`;

/** The sound answer with every chunk replaced by what `change` makes of it. */
function changed(change: (chunk: StreamChunk) => Step[]): EndpointScript {
  return {
    steps: (posted) => answerSteps(posted).flatMap((step) => (typeof step === "number" ? [step] : change(step))),
  };
}

const without = (type: string) => changed((chunk) => (chunk.type === type ? [] : [chunk]));
const before = (type: string, ...more: Step[]) =>
  changed((chunk) => (chunk.type === type ? [...more, chunk] : [chunk]));
const after = (type: string, ...more: Step[]) => changed((chunk) => (chunk.type === type ? [chunk, ...more] : [chunk]));

async function* skip(chunks: AsyncIterable<StreamChunk>, unwanted: (index: number) => boolean) {
  let index = 0;
  for await (const chunk of chunks) if (!unwanted(index++)) yield chunk;
}

/** Gives each chat the prompt of the one before it. */
function mixing(): EndpointScript {
  let previous = "nothing";
  return {
    steps: (posted) => {
      const prompt = previous;
      previous = posted.prompt;
      return answerSteps({ ...posted, prompt });
    },
  };
}

/** Forgets to let a chat go when its reader leaves. */
function holding(): EndpointScript {
  const seen = new Set<string>();
  const steps = (posted: Posted): Step[] => {
    const isHeld = seen.has(posted.id);
    seen.add(posted.id);
    return isHeld ? [{ type: "start" }, { type: "error", errorText: "A turn is running." }] : answerSteps(posted);
  };
  return { steps };
}

const tool = { toolCallId: "c", toolName: "search" };

const CASES: Case[] = [
  [
    "an unknown chunk type",
    ["schema.5-strict", "schema.5", "schema.6", "schema.7"],
    before("text-start", { type: "progress", percent: 1 }),
  ],
  ["an extra key", ["schema.5-strict"], changed((chunk) => [chunk.type === "text-delta" ? { ...chunk, n: 1 } : chunk])],
  ["a delta without its start", ["order.blocks"], without("text-start")],
  ["text left open at the end", ["order.open-blocks"], without("text-end")],
  ["a second start under another id", ["order.start"], after("text-end", { type: "start", messageId: "another" })],
  [
    "an output for a call that nobody knows",
    ["order.tools"],
    before("text-start", { type: "tool-output-available", toolCallId: "c", output: 1 }),
  ],
  [
    "a call of the server without an output",
    ["order.open-tools"],
    before("text-start", { type: "tool-input-available", ...tool, input: {}, providerExecuted: true }),
  ],
  ["no finish", ["end.finish"], without("finish")],
  ["a chunk after finish", ["end.last"], after("finish", { type: "text-delta", id: "t", delta: "more" })],
  ["a connection that stays open", ["end.closed"], after("finish", 5_000), { timeoutMs: 2_500 }],
  [
    "bad JSON",
    ["framing.json"],
    { encode: (chunk) => (chunk.type === "text-end" ? 'data: {"type":\n\n' : frame(chunk)) },
  ],
  [
    "an error as a plain text frame",
    ["framing.json"],
    {
      steps: (posted) => [...answerSteps(posted).slice(0, 8), { type: "failure" }],
      encode: (chunk) => (chunk.type === "failure" ? "event: error\ndata: Internal Server Error\n\n" : frame(chunk)),
    },
  ],
  [
    "an empty data line as a heartbeat",
    ["framing.empty-data"],
    { encode: (chunk) => (chunk.type === "text-start" ? `data:\n\n${frame(chunk)}` : frame(chunk)) },
  ],
  [
    "a last frame without its blank line",
    ["framing.last-frame"],
    { encode: (chunk) => (chunk.type === "finish" ? frame(chunk).trimEnd() : frame(chunk)), tail: "" },
  ],
  [
    "the protocol of SDK 4",
    ["framing.lines"],
    { encode: (chunk) => `0:${JSON.stringify(chunk.delta ?? "")}\n`, tail: "" },
  ],
  ["an empty 200", ["answer.body"], { answer: () => new Response(null, { status: 200 }) }],
  ["a 500", ["answer.status"], { answer: () => new Response("Oops", { status: 500 }) }],
  [
    "JSON in place of a stream",
    ["headers.content-type"],
    { answer: () => Response.json({ role: "assistant", content: "Hello" }) },
  ],
  ["a header forgotten", ["headers.protocol", "resume.headers"], { headers: SSE }],
  [
    "a resume that loses a chunk",
    ["resume.replay"],
    { resumed: (chunks, from) => skip(chunks, (index) => (from === 0 ? index === 5 : index < from)) },
  ],
  [
    "a resume that gives one chunk twice",
    ["resume.start-index"],
    { resumed: (chunks, from) => skip(chunks, (index) => index < from - 1) },
  ],
  ["404 when there is nothing to resume", ["resume.idle"], { idleStatus: 404 }],
  [
    "the same message run twice, with other words",
    ["idempotency.twice"],
    { joins: false, steps: (posted, run) => answerSteps({ ...posted, prompt: `${posted.prompt} ${run}` }) },
  ],
  ["two chats mixed", ["concurrency.separate"], mixing()],
  ["no keep-alive", ["keep-alive.comment"], { keepAliveMs: 60_000 }],
  ["a chat that is held by a reader who left", ["stop.next"], holding()],
  ["a failure that looks like an answer", ["error.chunk"], {}, { prompts: { failing: "fail" } }],
];

describe.concurrent("endpoints that are broken", { timeout: 30_000 }, () => {
  test.each(CASES)("%s", async (_, caught, script, options) => {
    const report = await check(scriptedEndpoint(script), options);
    expect(idsOf(report, "failed")).toEqual(caught);
    expect(idsOf(report, "warned")).toEqual([]);
  });
});
