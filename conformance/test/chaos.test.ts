import { describe, expect, it } from "vitest";
import { isSound, runCampaign } from "../src/chaos/campaign.ts";
import { report } from "../src/chaos/report.ts";

const SEED = 2026;
const SIZE = { sessions: 4, seconds: 20 };

describe("a fault campaign, the short one; `npm run chaos` runs longer ones", () => {
  it("BAD1: nothing is lost and nothing doubled, whatever is killed or cut", {
    timeout: 240_000,
    retry: 0,
  }, async () => {
    const outcome = await runCampaign(SEED, SIZE);
    const told = report(outcome);
    process.stdout.write(`${told}\n`);
    expect(outcome.problems, told).toEqual([]);
    expect(isSound(outcome), told).toBe(true);
  });
});
