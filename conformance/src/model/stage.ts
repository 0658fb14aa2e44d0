import { Api } from "../api.ts";
import type { ObedientHost } from "../obedient-host.ts";
import type { Act, By, Outcome } from "./acts.ts";
import { Listener } from "./listener.ts";

type Place = { url: string; data: string };
type PersonAct = Extract<Act, { via: string }>;

/** Carries acts out on the running product, as the people that they are of. */
export class Stage {
  /** The latest session, also when it is deleted. */
  sessionId = `ses_${"0".repeat(30)}`;
  readonly people: ReadonlyMap<string, Api>;
  readonly listeners = new Map<string, Listener>();
  readonly #host: ObedientHost;
  readonly #tokens = new Map<string, { id: string; token: string }>();

  private constructor(host: ObedientHost, people: ReadonlyMap<string, Api>) {
    this.#host = host;
    this.people = people;
  }

  static async open(product: Place, host: ObedientHost, names: readonly string[]): Promise<Stage> {
    const people = names.map(async (name) => [name, await Api.of(product, name)] as const);
    return new Stage(host, new Map(await Promise.all(people)));
  }

  async perform(act: Act): Promise<Outcome> {
    switch (act.type) {
      case "create":
        return this.#create(act.by);
      case "make-token":
        return this.#makeToken(act.user);
      case "revoke-token":
        return this.#revokeToken(act.user);
      case "connect":
        return this.#connect(act.by);
      case "disconnect":
        this.listeners.get(act.user)?.close();
        this.listeners.delete(act.user);
        return "ok";
      case "agent-asks":
        this.#runner.ask({ questionId: act.questionId, kind: act.kind, prompt: "?", options: OPTIONS });
        return "ok";
      case "agent-ends":
        this.#runner.end();
        return "ok";
      default:
        return act.via === "socket" ? this.#bySocket(act) : this.#byHttp(act);
    }
  }

  /** The questions whose answer the agent was told. */
  get answered(): string[] {
    return this.#host.runner(this.sessionId)?.answers.map(({ questionId }) => questionId) ?? [];
  }

  api(user: string): Api {
    const found = this.people.get(user);
    if (!found) throw new Error(`Nobody is called ${user}.`);
    return found;
  }

  socketUrl(query = ""): string {
    return `${this.#url("ws")}${query}`;
  }

  close(): void {
    for (const listener of this.listeners.values()) listener.close();
  }

  get #runner() {
    const runner = this.#host.runner(this.sessionId);
    if (!runner) throw new Error("The session has no runner.");
    return runner;
  }

  #url(part: string): string {
    const [api] = this.people.values();
    return `${api?.url.replace("http", "ws")}/api/sessions/${this.sessionId}/${part}`;
  }

  #as({ user, credential }: By): Api {
    const own = this.api(user);
    return credential === "own" ? own : new Api(own.url, this.#tokens.get(user)?.token ?? "");
  }

  async #create(by: By): Promise<Outcome> {
    const response = await this.#as(by).request("POST", "/api/sessions", { agent: this.#host.agent });
    if (response.status === 201) this.sessionId = (await response.json()).id;
    return outcomeOf(response);
  }

  async #makeToken(user: string): Promise<Outcome> {
    const response = await this.api(user).request("POST", "/api/tokens", { name: "model" });
    this.#tokens.set(user, await response.json());
    return outcomeOf(response);
  }

  async #revokeToken(user: string): Promise<Outcome> {
    return outcomeOf(await this.api(user).request("DELETE", `/api/tokens/${this.#tokens.get(user)?.id ?? "none"}`));
  }

  async #connect(by: By): Promise<Outcome> {
    const opened = await Listener.open(this.socketUrl("?since=0"), this.#as(by).headers);
    if (typeof opened === "string") return opened;
    this.listeners.get(by.user)?.close();
    this.listeners.set(by.user, opened);
    return "ok";
  }

  async #bySocket(act: PersonAct): Promise<Outcome> {
    const listener = this.listeners.get(act.by.user);
    if (!listener) throw new Error(`${act.by.user} has no socket.`);
    return listener.act(commandOf(act));
  }

  async #byHttp(act: PersonAct): Promise<Outcome> {
    const { method, path, body } = requestOf(act, this.sessionId);
    const response = await this.#as(act.by).request(method, `/api/sessions/${this.sessionId}${path}`, body);
    await response.body?.cancel();
    return outcomeOf(response);
  }
}

const OPTIONS = [{ value: "a", label: "A" }];

function outcomeOf(response: Response): Outcome {
  return response.ok ? "ok" : (response.headers.get("x-error-code") ?? String(response.status));
}

function commandOf(act: PersonAct): object {
  switch (act.type) {
    case "prompt":
      return { type: "prompt", id: act.id, text: act.text };
    case "answer":
      return { type: "answer", questionId: act.questionId, answer: act.answer };
    case "withdraw":
      return { type: "withdraw", promptId: act.promptId };
    case "rename":
      return { type: "set-title", title: act.title };
    default:
      return { type: act.type };
  }
}

function requestOf(act: PersonAct, id: string): { method: string; path: string; body?: object } {
  switch (act.type) {
    case "prompt": {
      const messages = [{ id: act.id, role: "user", parts: [{ type: "text", text: act.text }] }];
      return { method: "POST", path: "/chat", body: { id, messages, onDisconnect: "detach" } };
    }
    case "answer":
      return { method: "POST", path: `/questions/${act.questionId}`, body: act.answer };
    case "rename":
      return { method: "PATCH", path: "", body: { title: act.title } };
    case "share":
      return { method: "PUT", path: `/members/${act.member}`, body: { role: act.role } };
    case "unshare":
      return { method: "DELETE", path: `/members/${act.member}` };
    case "delete":
      return { method: "DELETE", path: "" };
    case "abort":
    case "terminate":
      return { method: "POST", path: `/${act.type}`, body: {} };
    case "withdraw":
      throw new Error("A prompt is withdrawn over the socket.");
    default:
      return act satisfies never;
  }
}
