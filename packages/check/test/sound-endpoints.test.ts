import { describe, expect, test } from "vitest";
import { EndpointError } from "../src/run-check.ts";
import { check, idsOf, verdictOn } from "./support/outcome.ts";
import { scriptedEndpoint } from "./support/scripted-endpoint.ts";
import { FAILING_PROMPT, plainSdkEndpoint, resumableSdkEndpoint } from "./support/sdk-endpoint.ts";

describe.concurrent("endpoints that are sound", { timeout: 30_000 }, () => {
  test("made with ai 7 as its documentation does: what it does not offer is no failure", async () => {
    const report = await check(plainSdkEndpoint, { prompts: { slow: undefined } });
    expect(report.profile).toBe("plain");
    expect(idsOf(report, "failed")).toEqual([]);
    expect(idsOf(report, "warned")).toEqual(["idempotency.twice"]);
    expect(idsOf(report, "skipped")).toEqual([
      "error.chunk",
      "error.recovery",
      "resume.replay",
      "resume.start-index",
      "resume.headers",
      "resume.idle",
      "keep-alive.comment",
    ]);
  });

  test("made with ai 7, with kept streams and keep-alives", async () => {
    const report = await check(resumableSdkEndpoint(), { prompts: { failing: FAILING_PROMPT } });
    expect(idsOf(report, "failed")).toEqual([]);
    expect(idsOf(report, "warned")).toEqual(["idempotency.twice"]);
    expect(idsOf(report, "skipped")).toEqual(["resume.start-index"]);
    expect(verdictOn(report, "resume.start-index")).toMatchObject({ note: expect.stringContaining("from the start") });
  });

  test("one that offers everything passes everything", async () => {
    const report = await check(scriptedEndpoint({}));
    expect(idsOf(report, "failed")).toEqual([]);
    expect(idsOf(report, "warned")).toEqual([]);
    expect(idsOf(report, "skipped")).toEqual(["error.chunk", "error.recovery"]);
    expect(verdictOn(report, "resume.start-index")).toMatchObject({ note: expect.stringMatching(/^\d\d cut points/) });
  });

  test("one that says x-agent-ops is asked with our demo agent's commands", async () => {
    const asked: string[] = [];
    const endpoint = scriptedEndpoint({
      steps: ({ prompt }) => {
        asked.push(prompt);
        return [{ type: "start" }, { type: "finish" }];
      },
      headers: { "content-type": "text/event-stream", "x-agent-ops": "1" },
    });
    const report = await check(endpoint, { only: ["order"] });
    expect(report.profile).toBe("agent-ops");
    expect(asked).toContain("/tools 3");
  });
});

describe("what can not be checked", () => {
  test.each([401, 403, 404, 405])("HTTP %i on the first message says so", async (status) => {
    await expect(check(() => new Response("no", { status }))).rejects.toThrow(EndpointError);
  });

  test("nobody listens", async () => {
    const closed = check(() => new Response("no"), { url: new URL("http://127.0.0.1:9/api/chat") });
    await expect(closed).rejects.toThrow("http://127.0.0.1:9 cannot be reached");
  });
});
