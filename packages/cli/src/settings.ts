import { TIMES } from "@agent-ops/shared/limits";
import { timesSetting } from "@agent-ops/shared/times";
import { z } from "zod";
import { UsageError } from "./usage-error.ts";

/** Of apps that bring their own browser and of extensions: not what `URL` has an origin for, but what they send. */
const APP_ORIGIN = /^(?!https?:)[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+$/;

const text = z.string();
const flag = z.enum(["true", "false"], "true or false");
const acts = text.regex(/^[1-9]\d{0,6}$/, "a whole number from 1 to 9999999");
const hosts = listOf(isHost, "host names separated by commas, such as agents.example.com");
const origins = listOf(isOrigin, "origins separated by commas, such as https://app.example.com, without a path");
const address = z.url({ protocol: /^https?$/, error: "an address such as https://example.com" });
const times = text.refine(
  isTimes,
  `JSON with milliseconds, such as {"graceMs":5000}, for ${Object.keys(TIMES).join(", ")}`,
);

/** What the worker takes from the environment; docs/deploy.md has a line for each. */
const SETTINGS = z.object({
  ACTS_PER_SECOND: acts,
  ALLOWED_HOSTS: hosts,
  CORS_ORIGINS: origins,
  DEFAULT_AGENT: text,
  ENABLE_AI_SDK_ADAPTER: flag,
  JWKS_URL: address,
  JWT_AUDIENCE: text,
  JWT_ISSUER: text,
  POSTHOG_HOST: address,
  POSTHOG_KEY: text,
  TIMES: times,
  TRUST_AGENTS: flag,
  WIDGET_ACTS_PER_MINUTE: acts,
});

export type Settings = Partial<z.infer<typeof SETTINGS>>;

/** The worker's settings among these variables. With one that it cannot use it would fail later, or quietly do something else. */
export function readSettings(variables: Readonly<Record<string, string | undefined>>): Settings {
  const set = Object.fromEntries(Object.entries(variables).filter(([, value]) => value)); // what is empty is not set
  const { error, data } = SETTINGS.partial().safeParse(set);
  if (data) return data;
  const problems = error.issues.map(({ path: [name], message }) => {
    return `${String(name)} has to be ${message}. It is: ${set[String(name)]}`;
  });
  throw new UsageError(`${problems.join("\n")}\ndocs/deploy.md says what each setting is.`);
}

function isTimes(setting: string): boolean {
  try {
    return timesSetting.safeParse(JSON.parse(setting)).success;
  } catch {
    return false;
  }
}

function isHost(entry: string): boolean {
  return URL.parse(`http://${entry}`)?.host === entry.toLowerCase();
}

function isOrigin(entry: string): boolean {
  return entry === "*" || URL.parse(entry)?.origin === entry || APP_ORIGIN.test(entry);
}

function listOf(isEntry: (entry: string) => boolean, error: string) {
  return text.refine((list) => list.split(",").every((entry) => entry.trim() === "" || isEntry(entry.trim())), error);
}
