import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder that lives as long as the test. */
export function tempDir(): string {
  const path = mkdtempSync(join(tmpdir(), "agent-ops-runner-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
