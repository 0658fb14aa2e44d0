import { describe, expect, it } from "vitest";
import { permissionQuestion } from "../src/agents/acp/permissions.ts";

const toolCall = { toolCallId: "c1", title: "rm -rf build" };
const once = { optionId: "once", name: "Allow", kind: "allow_once" };
const ever = { optionId: "ever", name: "Always", kind: "allow_always" };
const never = { optionId: "no", name: "Reject", kind: "reject_once" };
const other = { optionId: "other", name: "Allow in this folder", kind: "allow_always" };

describe("ACP2, ACL11: a permission", () => {
  it("ACP2: permits its call, as an approval and as a choice", () => {
    const approval = permissionQuestion({ toolCall, options: [once, ever, never] }, "bash");
    expect(approval).toMatchObject({ kind: "approval", permits: true, callId: "c1" });
    const choice = permissionQuestion({ toolCall, options: [once, ever, other, never] }, "bash");
    expect(choice).toMatchObject({ kind: "choice", permits: true, callId: "c1" });
  });

  it("ACL12: says which options hold for good", () => {
    const { options } = permissionQuestion({ toolCall, options: [once, ever, other, never] }, "bash");
    expect(options?.filter(({ always }) => always).map(({ value }) => value)).toEqual(["ever", "other"]);
  });
});
