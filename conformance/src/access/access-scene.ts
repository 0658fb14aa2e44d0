import { randomUUID } from "node:crypto";
import { vi } from "vitest";
import { Api } from "../api.ts";
import type { ObedientHost } from "../obedient-host.ts";
import { type Callers, Cast, type Identity, newApiToken } from "./identities.ts";

type Place = { url: string; data: string };

const WAIT = { timeout: 10_000, interval: 5 };
const RUNNING_PROMPT = "running";
export const QUEUED_PROMPT = "queued";

/**
 * A session in which everything can be done: a turn of the collaborator's runs and waits for an approval, a prompt of
 * the owner's waits behind it, there are three members, and the owner has an API token.
 */
export class AccessScene {
  readonly sessionId: string;
  readonly callers: Callers;
  readonly questionId: string;
  readonly tokenId: string;
  readonly product: Place;
  readonly #owner: Api;

  private constructor(
    product: Place,
    owner: Api,
    facts: Pick<AccessScene, "sessionId" | "callers" | "questionId" | "tokenId">,
  ) {
    this.product = product;
    this.#owner = owner;
    this.sessionId = facts.sessionId;
    this.callers = facts.callers;
    this.questionId = facts.questionId;
    this.tokenId = facts.tokenId;
  }

  static async open(product: Place, host: ObedientHost): Promise<AccessScene> {
    const cast = new Cast(product);
    const owner = await cast.api("owner");
    const created = await owner.request("POST", "/api/sessions", { agent: host.agent });
    const sessionId: string = (await created.json()).id;
    for (const role of ["collaborator", "viewer"]) await owner.share(sessionId, cast.name(role), role);
    const callers = await cast.callers(sessionId);
    const { id: tokenId } = await newApiToken(owner);
    await detached(await cast.api("collaborator"), sessionId, RUNNING_PROMPT);
    await detached(owner, sessionId, QUEUED_PROMPT);
    const questionId = randomUUID();
    await vi.waitUntil(() => host.runner(sessionId)?.turnId, WAIT);
    host.runner(sessionId)?.ask({ questionId, kind: "approval", prompt: "May I?" });
    const scene = new AccessScene(product, owner, { sessionId, callers, questionId, tokenId });
    await scene.#settled(cast);
    return scene;
  }

  /** All that an act of this person could have changed, as the people concerned see it. */
  async fingerprint(identity: Identity): Promise<string> {
    const actor = await this.#actor(identity);
    const session = ["", "/members", "/messages", "/audit", "/channels", "/children"];
    const seen = [
      ...session.map((part) => this.#read(this.#owner, part)),
      this.#listsOf(this.#owner),
      ...(actor.token === this.#owner.token ? [] : [this.#listsOf(actor)]),
    ];
    return JSON.stringify(await Promise.all(seen));
  }

  async #actor(identity: Identity): Promise<Api> {
    const { user } = this.callers[identity];
    return Api.of(this.product, user.startsWith("widget:") || user === "" ? "nobody" : user);
  }

  async #listsOf(person: Api): Promise<unknown[]> {
    const read = async (path: string) => (await person.request("GET", path)).json();
    const [{ sessions }, tokens] = await Promise.all([read("/api/sessions"), read("/api/tokens")]);
    return [sessions.map((session: { id: string }) => session.id), tokens];
  }

  async #read(person: Api, part: string): Promise<string> {
    return (await person.request("GET", `/api/sessions/${this.sessionId}${part}`)).text();
  }

  /** Lists of other people are told in the background. */
  async #settled(cast: Cast): Promise<void> {
    for (const role of ["collaborator", "viewer"]) {
      const person = await cast.api(role);
      await vi.waitUntil(async () => JSON.stringify(await this.#listsOf(person)).includes(this.sessionId), WAIT);
    }
    await vi.waitUntil(() => this.#isAsking(), WAIT);
  }

  /** An answer that fits no approval is refused as such once the question is there. */
  async #isAsking(): Promise<boolean> {
    return (await this.#owner.answer(this.sessionId, this.questionId, {})) === 400;
  }
}

async function detached(api: Api, sessionId: string, id: string): Promise<void> {
  const messages = [{ id, role: "user", parts: [{ type: "text", text: id }] }];
  const body = { id: sessionId, messages, onDisconnect: "detach" };
  const response = await api.request("POST", `/api/sessions/${sessionId}/chat`, body);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  await response.body?.cancel();
}
