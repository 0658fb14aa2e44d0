import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { errorBody } from "@agent-ops/shared/errors";
import { sessionView } from "@agent-ops/shared/sessions";
import { SignJWT } from "jose";
import { AUDIENCE, type Audience } from "../../../src/lib/auth.ts";

export const ORIGIN = "https://agent-ops.example";

export function signToken(user: string, audience: Audience = AUDIENCE.api): Promise<string> {
  return new SignJWT({ jti: crypto.randomUUID() })
    .setProtectedHeader({ alg: "HS256" })
    .setSubject(user)
    .setAudience(audience)
    .setExpirationTime("1h")
    .sign(new TextEncoder().encode(env.AUTH_SECRET));
}

type Init = { method?: string; body?: unknown; headers?: Record<string, string> };

/** One person, or one runner host, with a token. */
export class Caller {
  readonly user: string;
  readonly audience: Audience;

  constructor(user: string, audience: Audience = AUDIENCE.api) {
    this.user = user;
    this.audience = audience;
  }

  async fetch(path: string, { method = "GET", body, headers = {} }: Init = {}): Promise<Response> {
    const authorization = `Bearer ${await signToken(this.user, this.audience)}`;
    const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
    return SELF.fetch(`${ORIGIN}${path}`, {
      method,
      headers: { authorization, ...headers },
      ...(text ? { body: text } : {}),
    });
  }

  post(path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Response> {
    return this.fetch(path, { method: "POST", body, headers });
  }

  async createSession(): Promise<string> {
    const response = await this.post("/api/sessions", { agent: "demo" });
    return sessionView.parse(await response.json()).id;
  }

  /** Sends a chat request with one message; the stream's beginning is awaited, not its end. */
  chat(sessionId: string, text: string, id: string = crypto.randomUUID()): Promise<Response> {
    const messages = [{ id, role: "user", parts: [{ type: "text", text }] }];
    return this.post(`/api/sessions/${sessionId}/chat`, { id: "chat-1", messages });
  }
}

/** The status and the code of a refusal, which the header repeats. */
export async function refusal(response: Response): Promise<string> {
  const { code } = errorBody.parse(await response.json());
  return `${response.status} ${code} ${response.headers.get("x-error-code") === code}`;
}

/** A user that no other test knows. */
export function newUser(name = "user"): Caller {
  return new Caller(`${name}-${crypto.randomUUID()}`);
}
