import { SCRIPTED_MODEL, type ScriptedModel } from "../scripted-model/scripted-model.ts";
import { pathWithAgents } from "./installed.ts";

const OPEN_CODE_MODEL = `scripted/${SCRIPTED_MODEL}`;

/** The key that OpenCode is given for the scripted model; nobody may ever see it. */
export const OPEN_CODE_KEY = "sk-scripted-c3a1f0b7d2e94856";

/** A product's environment in which OpenCode runs on the scripted model and reaches nothing else. */
export function openCodeEnv(model: ScriptedModel, folder: string): Record<string, string> {
  return {
    PATH: pathWithAgents("opencode"),
    XDG_CONFIG_HOME: folder,
    XDG_DATA_HOME: folder,
    SCRIPTED_API_KEY: OPEN_CODE_KEY,
    OPENCODE_CONFIG_CONTENT: JSON.stringify(openCodeConfiguration(model)),
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    AGENT_OPS_AGENT_ENV: "npm_config_offline",
    npm_config_offline: "true",
  };
}

export function openCodeConfiguration({ openAiUrl: baseURL }: ScriptedModel) {
  const cost = { input: 1, output: 2, cache_read: 0.1, cache_write: 0 };
  const about = { tool_call: true, reasoning: true, limit: { context: 128_000, output: 8_192 }, cost };
  return {
    autoupdate: false,
    share: "disabled",
    model: OPEN_CODE_MODEL,
    small_model: OPEN_CODE_MODEL,
    enabled_providers: ["scripted"],
    lsp: false,
    formatter: false,
    provider: {
      scripted: {
        npm: "@ai-sdk/openai-compatible",
        name: "Scripted",
        options: { baseURL, apiKey: "{env:SCRIPTED_API_KEY}" },
        models: { [SCRIPTED_MODEL]: about, "other-model": about },
      },
    },
    command: { repeat: { template: "$ARGUMENTS", description: "Says it again" } },
    permission: { bash: "ask", edit: "ask", webfetch: "deny" },
  };
}
