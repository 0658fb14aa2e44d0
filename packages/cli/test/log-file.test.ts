import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { logTo } from "../src/log-file.ts";

const folder = mkdtempSync(join(tmpdir(), "agent-ops-log-"));
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

test("everything is in the file, and on the terminal what a person should know", () => {
  const shown: string[] = [];
  vi.spyOn(console, "error").mockImplementation((line) => shown.push(line));
  const file = join(folder, "agent-ops.log");
  const routine = [
    '{"level":"info","message":"session.opened"}',
    "kj::getCaughtExceptionAsKj() = disconnected: write(): Broken pipe (os error 32)",
    "stack: bin/workerd@568e96e",
  ];
  const grave = ['{"level":"error","message":"request failed"}', "The runner ended (SIGKILL); it is started again."];
  const log = logTo(file);
  for (const line of [...routine, ...grave]) log(line);
  expect(shown).toEqual(grave);
  expect(readFileSync(file, "utf8").trim().split("\n")).toEqual([...routine, ...grave]);
});
