import type { FilePart } from "@agent-ops/shared/message-parts";
import type { Answer } from "@agent-ops/shared/questions";
import { type Role, sessionView } from "@agent-ops/shared/sessions";
import { type PublicSettings, publicSettings } from "@agent-ops/shared/settings";
import { z } from "zod";
import { ApiError } from "./api-error.ts";
import {
  agentList,
  apiTokenList,
  diffPage,
  memberList,
  messagePage,
  newApiToken,
  type SignedIn,
  sessionList,
  signedIn,
  ticket,
  uiMessagePage,
} from "./api-schemas.ts";
import { requestAndLeave, requestJson } from "./http.ts";

type Token = string | undefined;
export type ApiDeps = {
  /** Where the server is, if not where the page came from. */
  server?: string;
  token: () => Token | Promise<Token>;
  onUnauthorized: () => void;
};
export type NewSession = { agent: string; title?: string; workspace?: string; model?: string; system?: string };
type Replacement = { messageId?: string; text: string; files: FilePart[] };

const PAGE = 100;
/** Older messages come in pages that are read between two frames of the screen. */
const OLDER_PAGE = 40;

/** Trades the one-time code of a sign-in link for a token. */
export function exchangeCode(code: string): Promise<SignedIn> {
  return requestJson({ method: "POST", url: "/api/auth/exchange", body: { code } }, signedIn);
}

/** Whose token it is. */
export async function signInWith(token: string): Promise<SignedIn> {
  const { user } = await requestJson({ method: "GET", url: "/api/me", token }, signedIn.pick({ user: true }));
  return { token, user };
}

export function readSettings(): Promise<PublicSettings> {
  return requestJson({ method: "GET", url: "/api/settings" }, publicSettings);
}

export type Api = ReturnType<typeof createApi>;

export function createApi({ server = "", ...deps }: ApiDeps) {
  const guarded = async <T>(work: (token: Token) => Promise<T>): Promise<T> => {
    try {
      return await work(await deps.token());
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) deps.onUnauthorized();
      throw error;
    }
  };
  const call = <T>(method: string, path: string, schema: z.ZodType<T>, body?: unknown): Promise<T> =>
    guarded((token) => requestJson({ method, url: server + path, body, token }, schema));
  return { ...sessionCalls(call), ...memberCalls(call), ...tokenCalls(call), ...chatCalls(guarded, server) };
}

type Call = <T>(method: string, path: string, schema: z.ZodType<T>, body?: unknown) => Promise<T>;
type Guarded = <T>(work: (token: Token) => Promise<T>) => Promise<T>;

function sessionCalls(call: Call) {
  return {
    listAgents: () => call("GET", "/api/agents", agentList).then(({ agents }) => agents),
    listSessions: () => call("GET", "/api/sessions", sessionList).then(({ sessions }) => sessions),
    createSession: (session: NewSession) => call("POST", "/api/sessions", sessionView, session),
    renameSession: (id: string, title: string) => call("PATCH", sessionPath(id), z.unknown(), { title }),
    terminateSession: (id: string) => call("POST", sessionPath(id, "terminate"), z.unknown(), {}),
    deleteSession: (id: string) => call("DELETE", sessionPath(id), z.unknown()),
    ticket: (id: string) => call("POST", sessionPath(id, "ticket"), ticket, {}).then((result) => result.ticket),
    olderMessages: (id: string, before: number) =>
      call("GET", sessionPath(id, `messages?format=v2&limit=${OLDER_PAGE}&before=${before}`), messagePage),
    uiMessages: (id: string, before?: number) =>
      call(
        "GET",
        sessionPath(id, `messages?limit=${PAGE}${before === undefined ? "" : `&before=${before}`}`),
        uiMessagePage,
      ),
    abort: (id: string) => call("POST", sessionPath(id, "abort"), z.unknown(), {}),
    answer: (id: string, questionId: string, answer: Answer) =>
      call("POST", sessionPath(id, `questions/${encodeURIComponent(questionId)}`), z.unknown(), answer),
    diff: (id: string) => call("GET", sessionPath(id, "diff"), diffPage).then(({ files }) => files),
  };
}

function memberCalls(call: Call) {
  const path = (id: string, user: string) => sessionPath(id, `members/${encodeURIComponent(user)}`);
  return {
    members: (id: string) => call("GET", sessionPath(id, "members"), memberList).then(({ members }) => members),
    share: (id: string, user: string, role: Role) => call("PUT", path(id, user), z.unknown(), { role }),
    unshare: (id: string, user: string) => call("DELETE", path(id, user), z.unknown()),
  };
}

function tokenCalls(call: Call) {
  return {
    listTokens: () => call("GET", "/api/tokens", apiTokenList).then(({ tokens }) => tokens),
    createToken: (name: string, days: number) => call("POST", "/api/tokens", newApiToken, { name, days }),
    revokeToken: (id: string) => call("DELETE", `/api/tokens/${encodeURIComponent(id)}`, z.unknown()),
  };
}

/** What the socket has no command for goes over the chat route; the turn goes on without its asker. */
function chatCalls(guarded: Guarded, server: string) {
  const chat = (id: string, body: object) =>
    guarded((token) =>
      requestAndLeave({
        method: "POST",
        url: server + sessionPath(id, "chat"),
        body: { id, onDisconnect: "detach", ...body },
        token,
      }),
    );
  return {
    editMessage: (id: string, { messageId, text, files }: Replacement) =>
      chat(id, {
        trigger: "submit-message",
        messageId,
        messages: [{ id: messageId, role: "user", parts: [...files, { type: "text", text }] }],
      }),
    regenerate: (id: string, { messageId, text, files }: Replacement) =>
      chat(id, {
        trigger: "regenerate-message",
        messages: [{ id: messageId, role: "user", parts: [...files, { type: "text", text }] }],
      }),
  };
}

export function sessionPath(id: string, rest?: string): string {
  return `/api/sessions/${encodeURIComponent(id)}${rest === undefined ? "" : `/${rest}`}`;
}
