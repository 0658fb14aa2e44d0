import type { PublicSettings } from "@agent-ops/shared/settings";
import type { Env } from "../env.ts";

const DEFAULT_HOST = "https://us.i.posthog.com";

/** TEL1: where the web page counts what happens; nowhere unless the operator has said so. */
export function telemetryOf({ POSTHOG_KEY: key, POSTHOG_HOST: host }: Env): PublicSettings["telemetry"] {
  return key ? { key, host: new URL(host || DEFAULT_HOST).origin } : undefined;
}
