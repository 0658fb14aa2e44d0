import type { InitEvent } from "@agent-ops/shared/events";
import { expect, vi } from "vitest";
import type { Api } from "../api.ts";
import { Listener } from "./listener.ts";
import type { ModelSession, World } from "./session-model.ts";
import type { Stage } from "./stage.ts";

const WAIT = { timeout: 10_000, interval: 3 };
/** How much of a long list is compared. */
const LATEST = 40;

type Part = { type: string; text?: string };
type Said = { role: string; parts: Part[] };

/** The product and the model say the same, to everybody who may ask and to those who may not. */
export async function expectAgreement(stage: Stage, world: World): Promise<void> {
  const expected = predicted(stage, world);
  await vi.waitFor(async () => expect(await observed(stage, world)).toEqual(expected), WAIT);
}

function predicted(stage: Stage, { session }: World) {
  const people = [...stage.people.keys()].map((name) => [name, predictedView(session, name)]);
  const sockets = [...stage.listeners.keys()].map((name) => [name, Boolean(session?.sockets[name])]);
  return { people: Object.fromEntries(people), sockets: Object.fromEntries(sockets), room: session && roomOf(session) };
}

function predictedView(session: ModelSession | null, name: string) {
  const role = session?.members[name];
  if (!session || !role) return { listed: false, view: "not_found" };
  const { title, status, members, history } = session;
  const messages = history.slice(-LATEST).map(({ role: speaker, text }) => `${speaker}: ${text}`);
  return { listed: true, view: { role, title, status }, members, messages };
}

function roomOf(session: ModelSession) {
  return {
    active: session.active ? `You said: ${session.active.text}` : undefined,
    queue: session.queue.map(({ promptId }) => promptId),
    questions: Object.entries(session.questions).flatMap(([id, { open }]) => (open ? [id] : [])),
    answered: session.answered,
    audit: session.audit.slice(-LATEST),
    present: Object.keys(session.sockets).toSorted(),
    logs: Object.keys(session.sockets).map(() => "whole"),
  };
}

async function observed(stage: Stage, { session }: World) {
  const people = [...stage.people].map(async ([name, api]) => [name, await observedView(api, stage.sessionId)]);
  const sockets = [...stage.listeners].map(([name, listener]) => [name, listener.isOpen]);
  const owner = Object.entries(session?.members ?? {}).find(([, role]) => role === "owner")?.[0];
  return {
    people: Object.fromEntries(await Promise.all(people)),
    sockets: Object.fromEntries(sockets),
    room: owner === undefined ? null : await observedRoom(stage, owner),
  };
}

async function observedView(api: Api, sessionId: string) {
  const read = async (path: string) => (await api.request("GET", path)).json();
  const { sessions } = await read("/api/sessions");
  const listed = sessions.some(({ id }: { id: string }) => id === sessionId);
  const response = await api.request("GET", `/api/sessions/${sessionId}`);
  if (!response.ok) return { listed, view: response.headers.get("x-error-code") };
  const { role, title, status } = await response.json();
  const members: { user: string; role: string }[] = (await read(`/api/sessions/${sessionId}/members`)).members;
  const messages: Said[] = (await read(`/api/sessions/${sessionId}/messages?limit=${LATEST}`)).messages;
  return {
    listed,
    view: { role, title, status },
    members: Object.fromEntries(members.map((member) => [member.user, member.role])),
    messages: messages.map((message) => `${message.role}: ${textOf(message)}`),
  };
}

/** What a reader who opens the session now is shown, and whether those who are there have all of it. */
async function observedRoom(stage: Stage, owner: string) {
  const listener = await Listener.open(stage.socketUrl(), stage.api(owner).headers);
  if (typeof listener === "string") return listener;
  const init = await listener.init();
  listener.close();
  const active = init.messages.find(({ turnId, role }) => role === "assistant" && turnId === init.activeTurnId);
  return {
    active: init.activeTurnId && active ? textOf(active) : undefined,
    queue: init.queue.map(({ promptId }) => promptId),
    questions: init.questions.flatMap(({ questionId, resolution }) => (resolution ? [] : [questionId])),
    answered: stage.answered,
    audit: init.audit.slice(-LATEST).map(({ userId, action }) => `${userId} ${action}`),
    present: presentBut(owner, init).toSorted(),
    logs: [...stage.listeners.values()].filter(({ isOpen }) => isOpen).map((open) => logOf(open, init)),
  };
}

/** Without the one socket that is ours. */
function presentBut(owner: string, { people }: InitEvent): string[] {
  return people.flatMap(({ userId, connections }) => {
    return Array.from({ length: connections - (userId === owner ? 1 : 0) }, () => userId);
  });
}

/** EV2, LOG1 */
function logOf({ events }: Listener, { seq }: InitEvent): string {
  const gap = events.findIndex((event, index) => event.seq !== index + 1);
  if (gap >= 0) return `number ${gap + 1} is missing`;
  return events.length === seq ? "whole" : `ends at ${events.length} of ${seq}`;
}

function textOf({ parts }: { parts: readonly { type: string; text?: string }[] }): string {
  return parts.map((part) => (part.type === "text" ? (part.text ?? "") : "")).join("");
}
