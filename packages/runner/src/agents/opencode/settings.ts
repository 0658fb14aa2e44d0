import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { AgentEnvironment } from "../../agent-environment.ts";
import { type AgentPlace, spawnOptions } from "../../agent-places.ts";
import { copyIntoHome } from "../copy-into-home.ts";

const OWN_VARIABLES = "OPENCODE_";
const CREDENTIALS = "auth.json";
export const PASSWORD = "OPENCODE_SERVER_PASSWORD";
export const USER = "opencode";

const credentials = z.record(z.string(), z.record(z.string(), z.unknown()));

/** The environment of an OpenCode server. The host's own variables reach it unchanged. */
export function openCodeEnvironment(place: AgentPlace, environment: AgentEnvironment | undefined, password: string) {
  return {
    ...spawnOptions(place).env,
    // A server that replaces its own program while a session runs would end it.
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    ...environment?.variables(OWN_VARIABLES),
    OPENCODE_SERVER_USERNAME: USER,
    [PASSWORD]: password,
  };
}

/** The host's own configuration, and what `opencode auth login` stored. What OpenCode writes stays in its home. */
export async function shareSettings(place: AgentPlace, environment: AgentEnvironment | undefined): Promise<void> {
  const { config, data } = hostFolders(environment);
  if (existsSync(config)) await copyIntoHome({ from: config, name: ".", to: ".config/opencode" }, place);
  const stored = join(data, CREDENTIALS);
  if (!existsSync(stored)) return;
  await copyIntoHome({ from: data, name: CREDENTIALS, to: ".local/share/opencode" }, place);
  for (const value of secretsIn(readFileSync(stored, "utf8"))) environment?.hide(value);
}

function hostFolders(environment: AgentEnvironment | undefined): { config: string; data: string } {
  const home = environment?.get("HOME") ?? homedir();
  const config = environment?.get("XDG_CONFIG_HOME") ?? join(home, ".config");
  const data = environment?.get("XDG_DATA_HOME") ?? join(home, ".local", "share");
  return { config: join(config, "opencode"), data: join(data, "opencode") };
}

function secretsIn(json: string): string[] {
  const { data = {} } = credentials.safeParse(JSON.parse(json));
  const values = Object.values(data).flatMap((entry) => Object.values(entry));
  return values.filter((value) => typeof value === "string");
}
