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
  expect([...lines, table.summary(report)].join("\n")).toMatchInlineSnapshot();
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
