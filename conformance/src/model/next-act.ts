import type { Role } from "@agent-ops/shared/sessions";
import type { Act, ActType, By, QuestionKind, Via } from "./acts.ts";
import type { Random } from "./random.ts";
import type { ModelSession, World } from "./session-model.ts";

const ROLES: Role[] = ["owner", "collaborator", "viewer"];
const KINDS: QuestionKind[] = ["approval", "choice", "text"];
const TITLES = ["Morning", "Noon", "Night"];
const ANSWERS = [{ approved: true }, { approved: false }, { approved: true, always: true }, { value: "a" }];

/** How often each act is tried, where it can be tried at all. */
const WEIGHTS: Record<ActType, number> = {
  create: 1,
  prompt: 14,
  abort: 5,
  answer: 9,
  withdraw: 5,
  rename: 4,
  share: 12,
  unshare: 6,
  terminate: 1,
  delete: 1,
  "make-token": 3,
  "revoke-token": 3,
  connect: 9,
  disconnect: 3,
  "agent-asks": 8,
  "agent-ends": 6,
};

/** Something that somebody could try next, be it allowed or not. */
export function nextAct(world: World, people: readonly string[], random: Random): Act {
  const { session } = world;
  if (!session && random.chance(0.7)) return { type: "create", by: anyone(world, people, random) };
  const type = random.weighted(possible(session));
  const user = random.pick(people);
  if (type === "make-token" || type === "revoke-token") {
    // Everybody has one token at a time.
    return { type: world.tokens[user] === "live" ? "revoke-token" : type, user };
  }
  if (type === "disconnect") return { type, user: random.pick(Object.keys(session?.sockets ?? {})) };
  if (type === "agent-ends") return { type };
  if (type === "agent-asks") return { type, questionId: random.name("q"), kind: random.pick(KINDS) };
  if (type === "create" || type === "connect") return { type, by: anyone(world, people, random) };
  return personAct(type, { world, people, random });
}

type Choice = { world: World; people: readonly string[]; random: Random };
type PersonActType = Exclude<
  ActType,
  "make-token" | "revoke-token" | "disconnect" | "agent-ends" | "agent-asks" | "create" | "connect"
>;

function personAct(type: PersonActType, { world, people, random }: Choice): Act {
  const { session } = world;
  const { by, via } = caller({ world, people, random }, type === "withdraw");
  const http = { by: via === "http" ? by : anyone(world, people, random), via: "http" as const };
  switch (type) {
    case "prompt":
      return { type, by, via, ...promptOf(session, random) };
    case "abort":
      return { type, by, via };
    case "answer":
      return { type, by, via, questionId: questionOf(session, random), answer: random.pick(ANSWERS) };
    case "withdraw":
      return { type, by, via: "socket", promptId: random.pick(Object.keys(session?.prompts ?? {}).concat("none")) };
    case "rename":
      return { type, by, via, title: random.pick(TITLES) };
    case "share":
      return { type, ...http, member: random.pick(people), role: random.pick(ROLES) };
    case "unshare":
      return { type, ...http, member: random.pick(people) };
    case "terminate":
    case "delete":
      return { type, ...http };
    default:
      return type satisfies never;
  }
}

/** Acts that the stage can carry out: an agent at rest does nothing, and a socket has to be there. */
function possible(session: ModelSession | null): [ActType, number][] {
  const connected = Object.keys(session?.sockets ?? {}).length > 0;
  const isPossible = (type: ActType) => {
    if (type === "create") return !session;
    if (type === "agent-asks" || type === "agent-ends") return Boolean(session?.active);
    return type === "disconnect" || type === "withdraw" ? connected : true;
  };
  // Nothing much happens in a session that is terminated.
  const weight = (type: ActType) => (type === "delete" && session?.status === "terminated" ? 20 : WEIGHTS[type]);
  const entries = Object.entries(WEIGHTS) as [ActType, number][]; // the keys of a record that names them all
  return entries.filter(([type]) => isPossible(type)).map(([type]) => [type, weight(type)]);
}

function caller({ world, people, random }: Choice, bySocket: boolean): { by: By; via: Via } {
  const open = Object.entries(world.session?.sockets ?? {});
  if (open.length > 0 && (bySocket || random.chance(0.5))) {
    const [user, credential] = random.pick(open);
    return { by: { user, credential }, via: "socket" };
  }
  return { by: anyone(world, people, random), via: "http" };
}

function anyone(world: World, people: readonly string[], random: Random): By {
  const members = Object.keys(world.session?.members ?? {});
  const user = random.pick(members.length > 0 && random.chance(0.7) ? members : people);
  const token = world.tokens[user];
  const byToken = token !== undefined && random.chance(token === "live" ? 0.4 : 0.1);
  return { user, credential: byToken ? "api-token" : "own" };
}

/** Now and then the same prompt once more, or its id with another text. */
function promptOf(session: ModelSession | null, random: Random): { id: string; text: string } {
  const known = Object.entries(session?.prompts ?? {});
  if (known.length === 0 || random.chance(0.75)) return { id: random.name("p"), text: random.name("text ") };
  const [id, { text }] = random.pick(known);
  return { id, text: random.chance(0.6) ? text : "something else" };
}

function questionOf(session: ModelSession | null, random: Random): string {
  const asked = Object.entries(session?.questions ?? {});
  const open = asked.filter(([, question]) => question.open);
  if (open.length > 0 && random.chance(0.8)) return random.pick(open)[0];
  return random.pick([...asked.map(([id]) => id), "none"]);
}
