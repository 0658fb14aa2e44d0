import { randomUUID } from "node:crypto";
import { mintToken } from "@agent-ops/cli/tokens";
import { Api } from "../api.ts";
import { readSecrets } from "../secrets.ts";

/** Everybody who may come to a door, with whatever they hold in their hand. */
export const IDENTITIES = [
  "owner",
  "collaborator",
  "viewer",
  "stranger",
  /** A visitor of a page, with a widget token for the session. */
  "widget",
  "no token",
  "garbage",
  /** The owner's token, a second too late. */
  "expired",
  /** An API token of the owner's, revoked. */
  "revoked",
  /** The owner's sign-in code, which is no token. */
  "sign-in code",
  "runner",
] as const;
export type Identity = (typeof IDENTITIES)[number];

/** The one origin whose pages may call the shared product. */
export const WIDGET_ORIGIN = "https://widget.example";

type Place = { url: string; data: string };

/** One person's hand: the headers with which they knock. */
export type Caller = { user: string; headers: Record<string, string> };
export type Callers = Record<Identity, Caller>;

/** People that no other scene knows. */
export class Cast {
  readonly #product: Place;
  readonly #suffix = randomUUID().slice(0, 8);

  constructor(product: Place) {
    this.#product = product;
  }

  name(role: string): string {
    return `${role}-${this.#suffix}`;
  }

  api(role: string): Promise<Api> {
    return Api.of(this.#product, this.name(role));
  }

  /** Everybody, once the owner's session exists. */
  async callers(sessionId: string): Promise<Callers> {
    const owner = await this.api("owner");
    const people = { owner, collaborator: await this.api("collaborator"), viewer: await this.api("viewer") };
    const bearer = (role: string, token: string): Caller => {
      return { user: this.name(role), headers: { authorization: `Bearer ${token}` } };
    };
    return {
      owner: bearer("owner", owner.token),
      collaborator: bearer("collaborator", people.collaborator.token),
      viewer: bearer("viewer", people.viewer.token),
      stranger: bearer("stranger", (await this.api("stranger")).token),
      widget: await this.#visitor(owner, sessionId),
      "no token": { user: "", headers: {} },
      garbage: bearer("owner", `${owner.token}x`),
      expired: bearer("owner", (await Api.of(this.#product, this.name("owner"), "-1s")).token),
      revoked: bearer("owner", await revokedToken(owner)),
      "sign-in code": bearer("owner", await this.#mint("owner", "agent-ops:sign-in")),
      runner: bearer("owner", await this.#mint("owner", "agent-ops:runner")),
    };
  }

  #mint(role: string, audience: "agent-ops:sign-in" | "agent-ops:runner"): Promise<string> {
    return mintToken(readSecrets(this.#product.data).auth, this.name(role), { audience, ttl: "1h" });
  }

  async #visitor(owner: Api, sessionId: string): Promise<Caller> {
    const { token, user } = await widgetToken(owner, sessionId);
    return { user, headers: { authorization: `Bearer ${token}`, origin: WIDGET_ORIGIN } };
  }
}

export async function widgetToken(
  owner: Api,
  sessionId: string,
  more: object = {},
): Promise<{ token: string; user: string }> {
  const path = `/api/sessions/${sessionId}/widget-tokens`;
  const response = await owner.request("POST", path, { origin: WIDGET_ORIGIN, ...more });
  if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
  return response.json();
}

export async function newApiToken(owner: Api): Promise<{ id: string; token: string }> {
  return (await owner.request("POST", "/api/tokens", { name: "access" })).json();
}

async function revokedToken(owner: Api): Promise<string> {
  const { id, token } = await newApiToken(owner);
  await owner.request("DELETE", `/api/tokens/${id}`);
  return token;
}
