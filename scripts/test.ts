import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/**
 * Everything that must hold: types, lint, dead code, a fresh build, and every test. Arguments go to vitest, so
 * `npm test -- conformance/test/http` runs the checks and then that file alone.
 */
const root = join(import.meta.dirname, "..");
const bin = (name: string) => join(root, "node_modules/.bin", name);
const report = join(mkdtempSync(join(tmpdir(), "agent-ops-report-")), "vitest.json");

function step(name: string, command: string[]): void {
  const started = performance.now();
  console.log(`\n> ${name}`);
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: "inherit" });
  console.log(
    `${name}: ${status === 0 ? "ok" : "FAILED"} after ${((performance.now() - started) / 1000).toFixed(1)} s`,
  );
  if (status !== 0) finish(status ?? 1);
}

function finish(code: number): never {
  const { numPassedTests = 0, numFailedTests = 0 } = readReport();
  console.log(`\n${numPassedTests} passed, ${numFailedTests} failed`);
  process.exit(code);
}

function readReport(): { numPassedTests?: number; numFailedTests?: number } {
  try {
    return JSON.parse(readFileSync(report, "utf8"));
  } catch {
    return {}; // the tests were not reached
  }
}

for (const config of globSync("{packages/*,bench,conformance,scripts}/tsconfig*.json", { cwd: root }).sort()) {
  step(`types of ${dirname(config)}`, [bin("tsc"), "-p", config]);
}
step("lint and format", [bin("biome"), "ci", "--error-on-warnings", "."]);
step("dead code", [bin("knip")]);
step("build", ["packages/cli/src/main.ts", "build"]);
step("agents for the tests", ["scripts/install-agents.ts"]);
const secondTries = `--reporter=${join(import.meta.dirname, "second-tries.ts")}`;
const reporters = ["--reporter=default", secondTries, "--reporter=json", `--outputFile.json=${report}`];
step("tests", [bin("vitest"), "run", ...reporters, ...process.argv.slice(2)]);
finish(0);
