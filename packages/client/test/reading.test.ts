import type { SessionView } from "@agent-ops/shared/sessions";
import { expect, test } from "vitest";
import { readDiffFiles } from "../src/lib/diff-files.ts";
import { decodeEntities } from "../src/lib/entities.ts";
import { groupParts } from "../src/lib/part-groups.ts";
import { readReview } from "../src/lib/review-findings.ts";
import { parseRoute, sessionHref } from "../src/lib/routes.ts";
import { noteSessions } from "../src/lib/seen-sessions.ts";
import { addOlder, emptySession } from "../src/lib/session-model.ts";
import { matchCommands } from "../src/lib/slash-commands.ts";
import { readToolOutput } from "../src/lib/tool-output.ts";

test("RUN9: a diff is read line by line, with numbers on both sides", () => {
  const patch =
    "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -3,3 +3,3 @@ head\n same\n-old\n+new\n\\ No newline at end of file\n";
  const [file] = readDiffFiles([{ path: "x", status: "modified", patch }, { nothing: true }, 7]);
  expect(file).toMatchObject({ path: "x", status: "modified", additions: 1, deletions: 1 });
  expect(file?.lines).toEqual([
    { kind: "hunk", text: "@@ -3,3 +3,3 @@ head" },
    { kind: "same", text: "same", before: 3, after: 3 },
    { kind: "remove", text: "old", before: 4 },
    { kind: "add", text: "new", after: 4 },
  ]);
});

test("RUN9: findings of a review come with the gravest first, however little they say", () => {
  const review = readReview({
    overallSummary: "Fine.",
    files: [
      {
        path: "a.ts",
        findings: [{ severity: "nitpick", title: "N" }, { severity: "critical", message: "C", line: 4 }, {}],
      },
    ],
  });
  expect(review.summary).toBe("Fine.");
  expect(review.findings.map(({ severity, title, line }) => [severity, title, line])).toEqual([
    ["critical", "C", 4],
    ["nitpick", "N", undefined],
    ["info", "Finding", undefined],
  ]);
});

test("every address leads to its page and back", () => {
  const link = new URL(sessionHref("a/b", "audit"), "http://here");
  expect(parseRoute(link.pathname, link.search)).toEqual({ kind: "session", sessionId: "a/b", panel: "audit" });
  expect(parseRoute("/sessions/x", "?panel=nonsense")).toEqual({ kind: "session", sessionId: "x", panel: undefined });
  expect(["/", "/settings", "/demo/in-process", "/else"].map((path) => parseRoute(path, "").kind)).toEqual([
    "home",
    "settings",
    "demo",
    "unknown",
  ]);
});

test("a session that ended its turn while nobody looked is unread until it is opened", () => {
  const session = (status: SessionView["status"]): SessionView => ({
    id: "s",
    agent: "demo",
    title: "S",
    status,
    createdAt: 0,
    role: "owner",
  });
  const running = noteSessions({}, [session("running")], undefined);
  const ended = noteSessions(running, [session("ready")], undefined);
  expect([running, ended]).toEqual([{ s: "running" }, { s: "unread" }]);
  expect(noteSessions(ended, [session("ready")], undefined)).toEqual({ s: "unread" });
  expect(noteSessions(ended, [session("ready")], "s")).toEqual({});
  expect(noteSessions(running, [session("ready")], "s")).toEqual({});
});

test("LOG10: a page of older messages goes in front, once", () => {
  const message = (id: string) => ({ id, role: "user" as const, turnId: id, parts: [], createdAt: 0 });
  const state = { ...emptySession, messages: [message("c")], before: 3 };
  const page = { messages: [message("a"), message("b")], questions: [], before: 1 };
  const grown = addOlder(state, 3, page);
  expect(grown.messages.map(({ id }) => id)).toEqual(["a", "b", "c"]);
  expect(addOlder(grown, 3, page)).toBe(grown);
});

test("tool calls that follow each other are one group", () => {
  const call = (callId: string) => ({ type: "tool-call", callId, toolName: "t", status: "completed" }) as const;
  const groups = groupParts([call("a"), { type: "step" }, call("b"), { type: "text", text: "x" }, call("c")]);
  expect(groups.map((group) => (group.kind === "tools" ? group.parts.length : group.part.type))).toEqual([
    2,
    "text",
    1,
  ]);
});

test("small readings", () => {
  expect(decodeEntities("a &lt; b &amp;&#33; &nothing; &#x1F600;")).toBe("a < b &! &nothing; 😀");
  const commands = ["tools", "memory", "memory show"].map((name) => ({ name, description: "" }));
  const matching = (text: string) => matchCommands(text, commands).map(({ name }) => name);
  expect(["/to", "/to x", "/tools", "to"].map(matching)).toEqual([["tools"], [], [], []]);
  expect([matching("/"), matching("/memory s")]).toEqual([["tools", "memory", "memory show"], ["memory show"]]);
});

test("a tool's output is its texts and its pages, or what it is", () => {
  const page = { type: "resource", resource: { uri: "ui://chart", mimeType: "text/html", text: "<b>Chart</b>" } };
  const text = { type: "text", text: "Done" };
  expect(readToolOutput({ content: [text, page] })).toEqual({
    text: "Done",
    pages: [{ uri: "ui://chart", html: "<b>Chart</b>" }],
  });
  const foreign = { ...page, resource: { ...page.resource, uri: "https://example.com" } };
  expect(readToolOutput({ content: [foreign] }).pages).toEqual([]);
  expect([readToolOutput("plain").text, readToolOutput({ a: 1 }).text]).toEqual(["plain", '{\n  "a": 1\n}']);
});
