import type { Api } from "../api.ts";
import { FrameSocket } from "../frame-socket.ts";
import { WIDGET_ORIGIN, widgetToken } from "./identities.ts";
import { type Answer, knock } from "./knock.ts";

type Call = { method: string; path?: string; body?: unknown; headers?: Record<string, string>; socket?: boolean };

/** Somebody on a page of the owner's. */
export class Visitor {
  readonly user: string;
  readonly token: string;
  readonly sessionId: string;
  readonly #url: string;

  private constructor(url: string, sessionId: string, { token, user }: { token: string; user: string }) {
    this.#url = url;
    this.sessionId = sessionId;
    this.token = token;
    this.user = user;
  }

  static async of(owner: Api, sessionId: string, more: object = {}): Promise<Visitor> {
    return new Visitor(owner.url, sessionId, await widgetToken(owner, sessionId, more));
  }

  call({ path = "", headers = { origin: WIDGET_ORIGIN }, ...call }: Call, sessionId = this.sessionId): Promise<Answer> {
    const caller = { user: this.user, headers: { authorization: `Bearer ${this.token}`, ...headers } };
    return knock(`${this.#url}/api/sessions/${sessionId}${path}`, caller, call);
  }

  ask(id: string): Promise<Answer> {
    const body = { messages: [{ id, role: "user", content: id }], onDisconnect: "detach" };
    return this.call({ method: "POST", path: "/chat", body });
  }

  socket(path = "/chat", headers: Record<string, string> = this.#headers): Promise<FrameSocket> {
    return FrameSocket.open({ url: this.#url, headers }, `/api/sessions/${this.sessionId}${path}`);
  }

  get #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.token}`, origin: WIDGET_ORIGIN };
  }
}
