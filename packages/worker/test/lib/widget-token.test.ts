import { describe, expect, it } from "vitest";
import { makeWidgetToken, readWidgetToken } from "../../src/lib/widget-token.ts";

const SECRET = "a-secret-for-tests-that-is-long-enough";
const VISITOR = {
  user: "widget:ann",
  expiresAt: 1000,
  widget: { sessionId: "ses_1", origin: "https://here.example", by: "bob" },
};

describe("widget tokens", () => {
  it("ACL11: say who it is and where, until their time is over, to the millisecond", async () => {
    const token = await makeWidgetToken(SECRET, VISITOR);
    expect(await readWidgetToken(SECRET, token, 999)).toEqual(VISITOR);
    expect(await readWidgetToken(SECRET, token, 1000)).toBeUndefined();
  });

  it("ACL11: of another installation, or changed in any letter, are none", async () => {
    const token = await makeWidgetToken(SECRET, VISITOR);
    expect(await readWidgetToken("another-secret-that-is-long-enough", token, 0)).toBeUndefined();
    for (let at = 4; at < token.length; at++) {
      const other = token[at] === "a" ? "b" : "a";
      expect(await readWidgetToken(SECRET, token.slice(0, at) + other + token.slice(at + 1), 0)).toBeUndefined();
    }
  });

  it("ACL11: the mark of an API token is none of a widget token", async () => {
    const [body] = (await makeWidgetToken(SECRET, VISITOR)).replace("aow_", "").split(".");
    const { signText } = await import("../../src/lib/signing.ts");
    const foreign = await signText("api-token", SECRET, body ?? "");
    expect(await readWidgetToken(SECRET, `aow_${body}.${foreign}`, 0)).toBeUndefined();
  });
});
