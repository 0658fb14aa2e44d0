import type { ScriptedModel } from "../scripted-model/scripted-model.ts";
import { pathWithAgents } from "./installed.ts";
import { openCodeEnv } from "./open-code.ts";

export const GEMINI_KEY = "gemini-key-90ab34cd77ef";

/** Writes its settings into the agent's own home, and starts it. */
const GEMINI_START = 'mkdir -p ~/.gemini && printf %s "$SETTINGS" > ~/.gemini/settings.json && exec gemini "$@"';
const GEMINI_SETTINGS = {
  security: { auth: { selectedType: "gemini-api-key" } },
  telemetry: { enabled: false },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false },
};

/** OpenCode's ACP mode on the scripted model. */
export function openCodeOverAcp(model: ScriptedModel): object {
  const { XDG_CONFIG_HOME: _, XDG_DATA_HOME: __, AGENT_OPS_AGENT_ENV: ___, ...env } = openCodeEnv(model, "");
  return { type: "acp", command: "opencode", args: ["acp"], env };
}

/** Gemini CLI on the scripted model. */
export function geminiOverAcp(model: ScriptedModel): object {
  return {
    type: "acp",
    command: "/bin/sh",
    args: ["-c", GEMINI_START, "gemini", "--acp", "-m", "gemini-2.5-pro"],
    envFrom: ["GEMINI_API_KEY"],
    env: {
      PATH: pathWithAgents("gemini"),
      SETTINGS: JSON.stringify(GEMINI_SETTINGS),
      GOOGLE_GEMINI_BASE_URL: model.origin,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    },
    signIn: "gemini-api-key",
    files: false,
    terminals: false,
  };
}
