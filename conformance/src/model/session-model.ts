import type { Role } from "@agent-ops/shared/sessions";
import type { Act, By, Credential, Outcome, QuestionKind } from "./acts.ts";

type Turn = { promptId: string; text: string };
type Message = { role: "user" | "assistant"; text: string };

/** A session as simply as it can be said. */
export type ModelSession = {
  status: "ready" | "running" | "terminated";
  title: string;
  members: Record<string, Role>;
  active: Turn | null;
  queue: Turn[];
  history: Message[];
  /** Every prompt that was ever taken; one that was withdrawn cannot be sent again. */
  prompts: Record<string, { text: string; withdrawn: boolean }>;
  questions: Record<string, { kind: QuestionKind; open: boolean }>;
  /** The questions whose answer the agent was told, in that order. */
  answered: string[];
  audit: string[];
  /** Who has a V2 socket open, and with what it was opened. */
  sockets: Record<string, Credential>;
};

/** `session` is null before the first is made, and after one is deleted. */
export type World = { session: ModelSession | null; tokens: Record<string, "live" | "revoked"> };

export const EMPTY: World = { session: null, tokens: {} };

/** What an act does to the world, and what whoever did it is told. A refused act changes nothing. */
export function apply(world: World, act: Act): { world: World; outcome: Outcome } {
  const next = structuredClone(world);
  const outcome = perform(next, act);
  return { world: outcome === "ok" ? next : world, outcome };
}

function perform(world: World, act: Act): Outcome {
  if ("by" in act && act.by.credential === "api-token" && world.tokens[act.by.user] !== "live") return "unauthorized";
  if (act.type === "create") return create(world, act.by);
  if (act.type === "make-token") return makeToken(world, act.user);
  if (act.type === "revoke-token") return revokeToken(world, act.user);
  const { session } = world;
  if (!session) return "not_found";
  if (act.type === "agent-asks" || act.type === "agent-ends") return agentActs(session, act);
  if (act.type === "disconnect") {
    delete session.sockets[act.user];
    return "ok";
  }
  const role = session.members[act.by.user];
  if (!role) return "not_found";
  if (act.type === "delete") {
    if (role !== "owner") return "forbidden";
    world.session = null;
    return "ok";
  }
  return personActs(session, role, act);
}

type MemberAct = Exclude<
  Act,
  { type: "create" | "make-token" | "revoke-token" | "agent-asks" | "agent-ends" | "disconnect" | "delete" }
>;

/** ACL6: viewers read, and to them the chat route does not exist. */
const FOR_COLLABORATORS = new Set<MemberAct["type"]>(["prompt", "abort", "answer", "withdraw"]);

function personActs(session: ModelSession, role: Role, act: MemberAct): Outcome {
  const { user } = act.by;
  if (role === "viewer" && FOR_COLLABORATORS.has(act.type)) {
    return act.type === "prompt" && act.via === "http" ? "not_found" : "forbidden";
  }
  switch (act.type) {
    case "connect":
      session.sockets[user] = act.by.credential;
      return "ok";
    case "prompt":
      return prompt(session, user, { promptId: act.id, text: act.text });
    case "abort":
      return session.active ? noted(session, user, "abort", () => endTurn(session)) : "nothing_running";
    case "answer":
      return answer(session, user, act);
    case "withdraw":
      return withdraw(session, user, act.promptId);
    case "unshare":
      return unshare(session, role, act);
    default:
      return role === "owner" ? ownerActs(session, act) : "forbidden";
  }
}

function ownerActs(
  session: ModelSession,
  act: Extract<MemberAct, { type: "rename" | "share" | "terminate" }>,
): Outcome {
  const { user } = act.by;
  switch (act.type) {
    case "rename":
      session.title = act.title;
      return noted(session, user, "rename");
    case "share":
      if (act.role !== "owner" && isOnlyOwner(session, act.member)) return "conflict";
      session.members[act.member] = act.role;
      return noted(session, user, "share");
    case "terminate":
      if (session.status === "terminated") return "conflict";
      for (const { promptId } of session.queue) markWithdrawn(session, promptId);
      session.queue = [];
      if (session.active) endTurn(session);
      session.status = "terminated";
      return noted(session, user, "terminate");
    default:
      return act satisfies never;
  }
}

function create(world: World, by: By): Outcome {
  world.session = {
    status: "ready",
    title: "New session",
    members: { [by.user]: "owner" },
    active: null,
    queue: [],
    history: [],
    prompts: {},
    questions: {},
    answered: [],
    audit: [],
    sockets: {},
  };
  return "ok";
}

function makeToken(world: World, user: string): Outcome {
  world.tokens[user] = "live";
  return "ok";
}

/** ACL9: what was opened with it is closed. */
function revokeToken(world: World, user: string): Outcome {
  if (world.tokens[user] !== "live") return "not_found";
  world.tokens[user] = "revoked";
  if (world.session?.sockets[user] === "api-token") delete world.session.sockets[user];
  return "ok";
}

function prompt(session: ModelSession, user: string, turn: Turn): Outcome {
  if (session.status === "terminated") return "conflict";
  const known = session.prompts[turn.promptId];
  if (known) return !known.withdrawn && known.text === turn.text ? "ok" : "conflict";
  session.prompts[turn.promptId] = { text: turn.text, withdrawn: false };
  if (session.active) session.queue.push(turn);
  else begin(session, turn);
  return noted(session, user, "prompt");
}

function begin(session: ModelSession, turn: Turn): void {
  session.active = turn;
  session.status = "running";
  session.history.push({ role: "user", text: turn.text });
}

/** Whoever ends it, the turn's answer so far is kept, what it asked is closed, and the next one begins. */
function endTurn(session: ModelSession): void {
  session.history.push({ role: "assistant", text: `You said: ${session.active?.text}` });
  for (const question of Object.values(session.questions)) question.open = false;
  session.active = null;
  session.status = "ready";
  const next = session.queue.shift();
  if (next) begin(session, next);
}

function answer(session: ModelSession, user: string, act: Extract<Act, { type: "answer" }>): Outcome {
  const asked = session.questions[act.questionId];
  if (!asked) return "not_found";
  if (!asked.open) return "already_answered";
  if (!("approved" in act.answer) === (asked.kind === "approval")) return "bad_answer";
  asked.open = false;
  session.answered.push(act.questionId);
  const always = "always" in act.answer && "approved" in act.answer && act.answer.approved === true;
  return noted(session, user, always ? "approve-always" : "answer");
}

function withdraw(session: ModelSession, user: string, promptId: string): Outcome {
  if (!session.queue.some((turn) => turn.promptId === promptId)) return "not_found";
  session.queue = session.queue.filter((turn) => turn.promptId !== promptId);
  markWithdrawn(session, promptId);
  return noted(session, user, "withdraw");
}

/** ACL7: everybody may leave, owners may remove; there is always an owner. */
function unshare(session: ModelSession, role: Role, { by, member }: Extract<Act, { type: "unshare" }>): Outcome {
  if (by.user !== member && role !== "owner") return "forbidden";
  if (!session.members[member]) return "not_found";
  if (isOnlyOwner(session, member)) return "conflict";
  delete session.members[member];
  delete session.sockets[member];
  return noted(session, by.user, "unshare");
}

function agentActs(session: ModelSession, act: Extract<Act, { type: "agent-asks" | "agent-ends" }>): Outcome {
  if (act.type === "agent-ends") endTurn(session);
  else session.questions[act.questionId] = { kind: act.kind, open: true };
  return "ok";
}

function noted(session: ModelSession, user: string, action: string, then?: () => void): Outcome {
  session.audit.push(`${user} ${action}`);
  then?.();
  return "ok";
}

function markWithdrawn(session: ModelSession, promptId: string): void {
  const known = session.prompts[promptId];
  if (known) known.withdrawn = true;
}

function isOnlyOwner(session: ModelSession, user: string): boolean {
  const owners = Object.entries(session.members).filter(([, role]) => role === "owner");
  return owners.length === 1 && owners[0]?.[0] === user;
}
