import type { PoolAgent } from "./durable-objects/pool-agent.ts";
import type { SessionAgent } from "./durable-objects/session-agent.ts";
import type { UserAgent } from "./durable-objects/user-agent.ts";

export interface Env {
  SESSIONS: DurableObjectNamespace<SessionAgent>;
  USERS: DurableObjectNamespace<UserAgent>;
  POOL: DurableObjectNamespace<PoolAgent>;
  /** The built web app. */
  ASSETS: { fetch(request: Request | string): Promise<Response> };
  /** Signs and checks the tokens of this installation. */
  AUTH_SECRET: string;
  /** Marks the session ids that this installation made; changing it orphans every session. */
  ID_SECRET: string;
  /** The agent of sessions that `POST /api/chat` makes. */
  DEFAULT_AGENT?: string;
  /** Where the keys of an identity provider are: people then come with its tokens alone. */
  JWKS_URL?: string;
  /** The `aud` of its tokens; `agent-ops` by default. */
  JWT_AUDIENCE?: string;
  /** Their `iss`, where it has to be a certain one. */
  JWT_ISSUER?: string;
  /** Names under which the worker may be called, separated by commas; where only this machine connects, besides its own. */
  ALLOWED_HOSTS?: string;
  /** Origins that browsers may call from, separated by commas. */
  CORS_ORIGINS?: string;
  /** "false" turns the AI SDK routes off. */
  ENABLE_AI_SDK_ADAPTER?: string;
  /** "true" where only this machine can connect. */
  LOOPBACK?: string;
  /** A PostHog project's key: the web page then tells it which acts happen, and nothing of what was said. */
  POSTHOG_KEY?: string;
  /** Its server; PostHog's own in the US by default. */
  POSTHOG_HOST?: string;
  /** What one person may do in a session, a second. */
  ACTS_PER_SECOND?: string;
  /** What one visitor of a widget may do in a session, a minute. */
  WIDGET_ACTS_PER_MINUTE?: string;
  /** "true" lets people share sessions although agents can read what is not their own. */
  TRUST_AGENTS?: string;
  /** JSON with other values for `TIMES` of `limits.ts`. */
  TIMES?: string;
}
