import { expect, test } from "vitest";
import { type Report, toJson } from "../src/report.ts";
import { Table } from "../src/table.ts";

const report: Report = {
  url: "http://127.0.0.1/api/chat",
  profile: "plain",
  ms: 2_340,
  groups: [
    {
      name: "framing",
      ms: 12,
      checks: [
        { id: "framing.json", verdict: { status: "failed", seen: '"hi": frame 3 is oops' } },
        { id: "framing.done", verdict: { status: "passed", note: "sent" } },
      ],
    },
    {
      name: "resume",
      ms: 2_100,
      checks: [
        { id: "resume.idle", verdict: { status: "warned", seen: "HTTP 200 with an empty body" } },
        { id: "resume.replay", verdict: { status: "skipped", note: "resuming is not supported (HTTP 404)" } },
      ],
    },
  ],
};

test("people read a table", () => {
  const table = new Table({ colour: false, width: 80 });
  const lines = [table.head(report.url, report.profile), ...report.groups.map((group) => table.group(group))];
  expect([...lines, table.summary(report)].join("\n")).toMatchInlineSnapshot(`
    "agent-ops check http://127.0.0.1/api/chat
    profile: plain

    framing
      ✗ framing.json           every data line is JSON that clients accept
          seen  "hi": frame 3 is oops
          why   Clients parse whatever stands after data:, and one line that is not
                JSON ends the answer in an error.
          fix   Put nothing but chunks into data lines; tell failures as {type:
                error, errorText}, not as text.
      ✓ framing.done           the end marker [DONE] is optional · sent

    resume 2.1 s
      ! resume.idle            204 when there is nothing to resume
          seen  HTTP 200 with an empty body
          why   useChat with resume asks on every page load; a 404 puts it in error
                before anybody has typed.
          fix   Answer GET URL/:chatId/stream with 204 when no turn is running.
      – resume.replay          resuming in mid-turn replays the whole turn
          note  resuming is not supported (HTTP 404)

    ✗ 1 failed, 1 warned, 1 passed, 1 skipped in 2.3 s"
  `);
});

test("colour is there when it is asked for", () => {
  const table = new Table({ colour: true, width: 80 });
  expect(table.summary(report)).toContain("\u001b[31m✗\u001b[39m");
});

test("programs read one document", () => {
  expect(JSON.parse(toJson(report))).toMatchObject({
    url: report.url,
    ok: false,
    passed: 1,
    failed: 1,
    warned: 1,
    skipped: 1,
    checks: [
      { id: "framing.json", group: "framing", status: "failed", seen: expect.any(String), fix: expect.any(String) },
      { id: "framing.done", status: "passed", note: "sent" },
      { id: "resume.idle", status: "warned", why: expect.any(String) },
      { id: "resume.replay", status: "skipped" },
    ],
  });
});
