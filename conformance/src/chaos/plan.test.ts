import { describe, expect, it } from "vitest";
import { planCampaign } from "./plan.ts";

const SIZE = { sessions: 3, seconds: 20 };

describe("the plan of a campaign", () => {
  it("is the same for the same seed, and another one for another", () => {
    expect(planCampaign(1, SIZE)).toEqual(planCampaign(1, SIZE));
    expect(planCampaign(1, SIZE)).not.toEqual(planCampaign(2, SIZE));
  });

  it("has every kind of fault and of prompt, and no prompt twice", () => {
    const { faults, sessions } = planCampaign(7, SIZE);
    expect(new Set(faults.map(({ kind }) => kind)).size).toBe(9);
    const prompts = sessions.flatMap((session) => session.prompts);
    expect(new Set(prompts.map(({ way }) => way))).toEqual(new Set(["socket", "post", "chat"]));
    expect(new Set(prompts.map(({ tag }) => tag)).size).toBe(prompts.length);
  });
});
