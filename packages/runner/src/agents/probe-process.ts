import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
// Whether the packages that agents need can be read at all.
import "@agent-ops/shared/events";

/** Tries what an agent must be able to do, and what it must not; fails where that is not so. */
const [workspace = "", home = "", dataDir = "", runnerPid = ""] = process.argv.slice(2);

for (const folder of [workspace, home]) writeFileSync(join(folder, "probe"), "");
mustFail(`list ${dataDir}`, () => readdirSync(dataDir));
mustFail("read the runner's environment", () => readFileSync(`/proc/${runnerPid}/environ`));

function mustFail(act: string, run: () => unknown): void {
  try {
    run();
  } catch {
    return;
  }
  console.error(`an agent can ${act}`);
  process.exit(1);
}
