import type { Play } from "./staged-agent.ts";

const ANSWER = `The test waits for a **fixed 200 ms** instead of the redirect, so it fails whenever the session cookie is slow.

1. \`login()\` resolves before the cookie is stored
2. the next navigation races with it

I made it wait for the navigation itself:

\`\`\`ts
export async function signIn(page: Page, user: User): Promise<void> {
  await page.getByLabel("Email").fill(user.email);
  await page.getByLabel("Password").fill(user.password);
  await Promise.all([
    page.waitForURL("/dashboard"), // was: sleep(200)
    page.getByRole("button", { name: "Sign in" }).click(),
  ]);
}
\`\`\`

| run | before | after |
| --- | ---: | ---: |
| passed | 182 / 200 | 200 / 200 |
| median | 1.9 s | 1.4 s |
`;

const PATCH = `@@ -1,9 +1,11 @@
 import type { Page } from "playwright-core";
-import { sleep } from "../lib/sleep.ts";
 
 export async function signIn(page: Page, user: User): Promise<void> {
   await page.getByLabel("Email").fill(user.email);
   await page.getByLabel("Password").fill(user.password);
-  await page.getByRole("button", { name: "Sign in" }).click();
-  await sleep(200);
+  await Promise.all([
+    page.waitForURL("/dashboard"),
+    page.getByRole("button", { name: "Sign in" }).click(),
+  ]);
 }
`;

const NEW_FILE = `@@ -0,0 +1,4 @@
+# Waiting
+
+Wait for what you need, never for a time.
+
`;

const CHANGES = [
  { path: "tests/support/sign-in.ts", status: "modified", patch: PATCH },
  { path: "docs/waiting.md", status: "added", patch: NEW_FILE },
];

/** A piece of work as a coding agent does it: it thinks, reads, edits, runs the tests, and explains itself. */
export const fixTheTest: Play = {
  prompt: ({ turnId, text }) => [
    { type: "message.create", turnId },
    ...(text.includes("publish") ? askFirst(turnId) : work(turnId)),
  ],
  diff: CHANGES,
  review: {
    overallSummary: "The change removes the race. **One** thing to think about.",
    stats: { critical: 0, warning: 1, suggestion: 1 },
    files: [
      {
        path: "tests/support/sign-in.ts",
        findings: [
          {
            severity: "warning",
            line: 8,
            title: "The address is said twice",
            description: "`/dashboard` is also in `routes.ts`. Import it, so that a move does not break the tests.",
          },
          {
            severity: "suggestion",
            line: 4,
            title: "Name the labels once",
            description: "They are used in four tests.",
          },
        ],
      },
    ],
  },
};

function work(turnId: string): object[] {
  return [
    {
      type: "models",
      models: [
        { id: "sonnet", name: "Sonnet 5" },
        { id: "haiku", name: "Haiku 5" },
      ],
      current: "sonnet",
    },
    {
      type: "commands",
      commands: [
        { name: "plan", description: "Thinks first and changes nothing", hint: "[what]" },
        { name: "compact", description: "Shortens what was said so far" },
      ],
    },
    { type: "git-state", branch: "fix/flaky-login", baseBranch: "main", commitCount: 1, dirty: true },
    {
      type: "message.part.reasoning-delta",
      turnId,
      delta: "It fails one time in ten, and only in CI. That smells of a race between the click and the cookie.",
    },
    ...tool(
      turnId,
      "c1",
      "read_file",
      { path: "tests/login.test.ts" },
      "import { signIn } from './support/sign-in.ts'",
    ),
    ...tool(turnId, "c2", "search", { query: "sleep(", path: "tests" }, "tests/support/sign-in.ts:8"),
    ...tool(turnId, "c3", "edit_file", { path: "tests/support/sign-in.ts" }, { added: 4, removed: 3 }),
    ...tool(turnId, "c4", "run_command", { command: "npm test -- login --repeat 200" }, "200 passed"),
    { type: "child-session", childSessionId: "research-1", title: "Find other fixed waits", status: "completed" },
    { type: "files-changed" },
    { type: "diff", requestId: turnId, files: CHANGES },
    { type: "message.part.text-delta", turnId, delta: ANSWER },
    {
      type: "message.finalize",
      turnId,
      reason: "end_turn",
      usage: { inputTokens: 9120, outputTokens: 842, totalTokens: 9962, costUsd: 0.041 },
    },
  ];
}

function askFirst(turnId: string): object[] {
  const call = { turnId, callId: "c5", toolName: "run_command" };
  return [
    {
      type: "message.part.text-delta",
      turnId,
      delta: "All tests pass. I can push the branch and open a pull request.",
    },
    {
      type: "message.part.tool-update",
      ...call,
      status: "running",
      args: { command: "git push -u origin fix/flaky-login" },
    },
    {
      type: "question",
      turnId,
      questionId: `${turnId}-push`,
      kind: "approval",
      prompt: "Run `git push -u origin fix/flaky-login`?",
      callId: "c5",
      toolName: "run_command",
    },
  ];
}

function tool(turnId: string, callId: string, toolName: string, args: object, result: unknown): object[] {
  const call = { type: "message.part.tool-update", turnId, callId: `${turnId}-${callId}`, toolName };
  return [
    { ...call, status: "running", args },
    { ...call, status: "completed", result },
  ];
}
