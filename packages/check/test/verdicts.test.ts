import { describe, expect, test } from "vitest";
import { checkConcurrency } from "../src/checks/concurrency.ts";
import { checkErrorChunk } from "../src/checks/error.ts";
import { checkIdempotency } from "../src/checks/idempotency.ts";
import { checkKeepAlive } from "../src/checks/keep-alive.ts";
import { checkRefusal } from "../src/checks/refusal.ts";
import { checkResume } from "../src/checks/resume.ts";
import { checkSchema } from "../src/checks/schema.ts";
import type { Recording } from "../src/recording.ts";
import { loadRelease, RELEASE_NAMES } from "../src/releases.ts";
import { recording, sse, view } from "./support/recordings.ts";

const answer = (text: string, messageId = "m") =>
  recording(sse([{ type: "start", messageId }, { type: "text-delta", id: "t", delta: text }, { type: "finish" }]));

describe("a refusal", () => {
  const html = "<!doctype html><title>400</title>";
  test.each<[string, Recording, string]>([
    ["400 with a reason", recording("No messages.", { status: 400 }), "passed"],
    ["400 without a reason", recording("", { status: 400 }), "failed"],
    ["400 with a page", recording(html, { status: 400 }), "warned"],
    ["400 with a stack", recording("Error: no\n    at run (a.js:1:2)", { status: 400 }), "warned"],
    ["500 with a reason", recording("Internal error", { status: 500 }), "warned"],
    ["500 without a reason", recording("", { status: 500 }), "failed"],
    ["an empty 200", recording(""), "failed"],
    ["200 with JSON", recording('{"error":"no"}'), "failed"],
    ["200 with an answer", answer("Hello"), "warned"],
    ["200 with an error chunk", recording(sse([{ type: "error", errorText: "no" }])), "warned"],
    ["no answer", recording("", { status: 0, failure: "reset" }), "failed"],
  ])("%s", (_, recorded, status) => {
    expect(checkRefusal(recorded).status).toBe(status);
  });
});

test("an error is told as a chunk with a text for people, or before the stream", () => {
  const told = (errorText: string) => checkErrorChunk(recording(sse([{ type: "error", errorText }]))).status;
  expect([told("It failed."), told(""), told("Error\n    at run (a.js:1:2)")]).toEqual(["passed", "failed", "warned"]);
  expect(checkErrorChunk(answer("fine")).status).toBe("failed");
  expect(checkErrorChunk(recording("Out of credit", { status: 402 })).status).toBe("passed");
});

test("keep-alives are judged by the longest silence", () => {
  const comments = [1, 2, 3].map((second) => ({ at: second * 1_000, text: ": keep-alive\n\n" }));
  const slow = (pieces: Recording["pieces"]) => checkKeepAlive(recording("", { pieces, endedAt: 4_000 }), 1_500);
  expect(slow(comments)).toEqual({ status: "passed", note: "1.0 s of silence at most" });
  expect(slow([])).toEqual({ status: "failed", seen: "4.0 s without a byte in mid-turn" });
  expect(checkKeepAlive(answer("quick"), 1_500).status).toBe("skipped");
});

test("a message sent twice is one turn, or said to be two", () => {
  const twice = (first: Recording, second: Recording, isPromised = false) =>
    checkIdempotency([first, second], isPromised).status;
  const conflict = recording("It runs already.", { status: 409 });
  expect(twice(answer("a"), answer("a"))).toBe("passed");
  expect(twice(answer("a"), conflict)).toBe("passed");
  expect(twice(answer("a"), answer("b"))).toBe("failed");
  expect(twice(answer("a"), answer("b", "n"))).toBe("warned");
  expect(twice(answer("a"), answer("b", "n"), true)).toBe("failed");
  expect(twice(answer("a"), answer("a", "n"), true)).toBe("failed");
  expect(twice(conflict, conflict)).toBe("failed");
});

test("chats are told apart by what they echo, else by their ids", () => {
  const lanes = (...answers: Recording[]) =>
    checkConcurrency(answers.map((recorded, index) => ({ marker: `lane${index}`, recording: recorded }))).status;
  const nameless = recording(sse([{ type: "text-delta", id: "t", delta: "ok" }, { type: "finish" }]));
  expect(lanes(answer("lane0", "a"), answer("lane1", "b"))).toBe("passed");
  expect(lanes(answer("lane1", "a"), answer("lane1", "b"))).toBe("failed");
  expect(lanes(answer("ok", "a"), answer("ok", "b"))).toBe("passed");
  expect(lanes(answer("ok", "a"), answer("ok", "a"))).toBe("failed");
  expect(lanes(nameless, nameless)).toBe("skipped");
  expect(lanes(answer("lane0", "a"), recording("busy", { status: 429 }))).toBe("failed");
});

describe("resuming", () => {
  const whole = answer("abc");
  const resumed = (recorded: Recording, idle = recording("", { status: 204 })) =>
    checkResume([{ whole, replays: [{ cut: 1, recording: recorded }], indexed: [] }], idle);

  test.each<[string, Recording, string]>([
    ["the whole", answer("abc"), "passed"],
    ["another text", answer("ab"), "failed"],
    ["a page", recording("<!doctype html>", { headers: new Map(), answeredAt: 12 }), "failed"],
    ["500", recording("no", { status: 500, answeredAt: 12 }), "failed"],
    ["404", recording("no", { status: 404, answeredAt: 12 }), "skipped"],
    ["204 while it runs", recording("", { status: 204, answeredAt: 12 }), "skipped"],
    ["204 after the end", recording("", { status: 204, answeredAt: 30 }), "skipped"],
  ])("with %s", (_, recorded, status) => {
    expect(resumed(recorded)["resume.replay"]?.status).toBe(status);
  });

  test("when nothing runs: 404 is wrong only where resuming is offered", () => {
    const missing = recording("no", { status: 404, answeredAt: 12 });
    expect(resumed(whole, missing)["resume.idle"]?.status).toBe("failed");
    expect(resumed(missing, missing)["resume.idle"]?.status).toBe("skipped");
    expect(resumed(whole, whole)["resume.idle"]?.status).toBe("failed");
    expect(resumed(whole, recording(""))["resume.idle"]?.status).toBe("warned");
  });

  test("says what is lost and what comes twice", () => {
    const [start, delta, finish] = view([{ type: "start" }, { type: "text-delta" }, { type: "finish" }]).chunks;
    if (!start || !delta || !finish) throw new Error("three chunks were wanted");
    const turn = (...chunks: (typeof start)[]) => ({
      whole: recording(sse([start, delta, finish])),
      replays: [{ cut: 1, recording: recording(sse(chunks)) }],
      indexed: [],
    });
    const seen = (...chunks: (typeof start)[]) => checkResume([turn(...chunks)], whole)["resume.replay"];
    expect(seen(start, finish)).toMatchObject({ seen: expect.stringContaining('{"type":"text-delta"} is missing') });
    expect(seen(start, start, delta, finish)).toMatchObject({ seen: expect.stringContaining("comes twice") });
    expect(seen(start, delta)).toMatchObject({ seen: expect.stringContaining("it ends before") });
  });
});

describe.each(RELEASE_NAMES)("the schema of %s", (name) => {
  test("names the key or the type that it refuses", async () => {
    const refuses = await loadRelease(name);
    const check = (chunk: { type: string }) => checkSchema([view([chunk])], refuses);
    expect(await check({ type: "finish" })).toMatchObject({ status: "passed" });
    expect(await check({ type: "nonsense" })).toMatchObject({ seen: expect.stringContaining("the type is unknown") });
    expect(await check({ type: "text-delta" })).toMatchObject({ seen: expect.stringContaining("id: ") });
  });
});
