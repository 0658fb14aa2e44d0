import { describe, expect, it } from "vitest";
import { readSettings } from "../src/settings.ts";

describe("settings", () => {
  it.each([
    { ACTS_PER_SECOND: "1", WIDGET_ACTS_PER_MINUTE: "9999999" },
    { ALLOWED_HOSTS: "agents.example, Proxy.example:8443,[::1]" },
    { CORS_ORIGINS: "https://app.example.com, http://localhost:3000" },
    { CORS_ORIGINS: "*" },
    { CORS_ORIGINS: "capacitor://localhost,chrome-extension://abcdef," },
    { ENABLE_AI_SDK_ADAPTER: "false", DEFAULT_AGENT: "opencode" },
    { JWKS_URL: "https://id.example.com/keys", POSTHOG_HOST: "http://localhost:8000" },
    { TIMES: '{"graceMs":0,"hibernateMs":604800000}' },
    { TIMES: "{}" },
  ])("%o is taken as it is", (settings) => {
    expect(readSettings({ ...settings, PATH: "/bin", JWT_ISSUER: "" })).toEqual(settings);
  });

  it.each([
    ["ACTS_PER_SECOND", "0"],
    ["ACTS_PER_SECOND", "fast"],
    ["WIDGET_ACTS_PER_MINUTE", "10000000"],
    ["WIDGET_ACTS_PER_MINUTE", "1.5"],
    ["ALLOWED_HOSTS", "https://agents.example"],
    ["ALLOWED_HOSTS", "agents.example/chat"],
    ["ALLOWED_HOSTS", "agents.example:80"],
    ["CORS_ORIGINS", "https://app.example.com/"],
    ["CORS_ORIGINS", "app.example.com"],
    ["CORS_ORIGINS", "capacitor://localhost/"],
    ["ENABLE_AI_SDK_ADAPTER", "0"],
    ["TRUST_AGENTS", "yes"],
    ["JWKS_URL", "id.example.com"],
    ["POSTHOG_HOST", "ftp://example.com"],
    ["TIMES", "{"],
    ["TIMES", "5"],
    ["TIMES", '{"graceSeconds":5}'],
    ["TIMES", '{"keepAliveMs":5}'],
    ["TIMES", '{"graceMs":-1}'],
    ["TIMES", '{"graceMs":604800001}'],
    ["TIMES", '{"graceMs":"5"}'],
  ])("%s=%s is refused by name", (name, value) => {
    expect(() => readSettings({ [name]: value, PORT: "x" })).toThrow(new RegExp(`^${name} has to be .*\\. It is: `));
  });

  it("every one that is wrong is named", () => {
    const wrong = () => readSettings({ TIMES: "x", TRUST_AGENTS: "x", CORS_ORIGINS: "*" });
    expect(wrong).toThrow(/^TIMES .*\nTRUST_AGENTS .*\ndocs\/deploy\.md/);
  });
});
