import type { CheckId, GroupName } from "./catalogue.ts";
import { ask, Chat, unanswerable } from "./chat.ts";
import { checkAnswers, type Verdicts } from "./checks/answer.ts";
import { checkConcurrency } from "./checks/concurrency.ts";
import { checkEnd } from "./checks/end.ts";
import { checkAnswered, checkErrorChunk } from "./checks/error.ts";
import { checkFraming } from "./checks/framing.ts";
import { checkHeaders } from "./checks/headers.ts";
import { checkIdempotency } from "./checks/idempotency.ts";
import { checkKeepAlive } from "./checks/keep-alive.ts";
import { checkOrder } from "./checks/order.ts";
import { checkRefusal } from "./checks/refusal.ts";
import { checkResume, type ResumedTurn } from "./checks/resume.ts";
import { checkSchema } from "./checks/schema.ts";
import { loadRelease, RELEASE_NAMES } from "./releases.ts";
import { driveResume } from "./scenarios/resume.ts";
import { driveChats, driveStop } from "./scenarios/turns.ts";
import { skipped } from "./verdict.ts";
import type { Visit } from "./visit.ts";

type Group = {
  /** Makes turns of its own, which teach nothing where the first one was broken. */
  readonly needsSoundTurns: boolean;
  run(visit: Visit): Promise<Verdicts>;
};

/** Drives the endpoint into a situation and has the recordings judged, group by group. */
export const GROUPS: Record<GroupName, Group> = {
  answer: { needsSoundTurns: false, run: async (visit) => checkAnswers(await visit.views()) },
  headers: { needsSoundTurns: false, run: async (visit) => checkHeaders(await visit.views()) },
  framing: { needsSoundTurns: false, run: async (visit) => checkFraming(await visit.views()) },
  schema: { needsSoundTurns: false, run: schema },
  order: { needsSoundTurns: false, run: async (visit) => checkOrder(await visit.views()) },
  end: { needsSoundTurns: false, run: async (visit) => checkEnd(await visit.views()) },
  refusal: { needsSoundTurns: false, run: refusal },
  error: { needsSoundTurns: true, run: error },
  resume: { needsSoundTurns: true, run: resume },
  "keep-alive": { needsSoundTurns: true, run: keepAlive },
  stop: { needsSoundTurns: true, run: stop },
  idempotency: { needsSoundTurns: true, run: idempotency },
  concurrency: { needsSoundTurns: true, run: concurrency },
};

export const GROUP_NAMES = Object.keys(GROUPS).filter(isGroupName);

function isGroupName(text: string): text is GroupName {
  return Object.hasOwn(GROUPS, text);
}

async function schema(visit: Visit): Promise<Verdicts> {
  const views = await visit.views();
  const verdicts: Verdicts = {};
  for (const name of RELEASE_NAMES) {
    const id: CheckId = `schema.${name}`;
    const isWanted = visit.releases.includes(name);
    verdicts[id] = isWanted ? await checkSchema(views, await loadRelease(name)) : skipped("not asked for");
  }
  return verdicts;
}

async function refusal({ endpoint }: Visit): Promise<Verdicts> {
  const refused = async (name: string, body: string) => checkRefusal(await endpoint.post(name, body));
  return {
    "refusal.bad-json": await refused("a body that is not JSON", '{"messages": ['),
    "refusal.no-messages": await refused("no messages", unanswerable(undefined)),
    "refusal.empty-prompt": await refused("an empty prompt", unanswerable("")),
  };
}

async function error(visit: Visit): Promise<Verdicts> {
  const { failing } = visit.profile;
  if (failing === undefined) {
    const note = skipped("no prompt is known that fails here; name one with --error-prompt");
    return { "error.chunk": note, "error.recovery": note };
  }
  const { failed, next } = await visit.failedTurn(failing);
  return { "error.chunk": checkErrorChunk(failed), "error.recovery": checkAnswered(next) };
}

async function resume({ endpoint, profile }: Visit): Promise<Verdicts> {
  const turns: ResumedTurn[] = [];
  const chat = new Chat(endpoint);
  for (const prompt of profile.resumed) turns.push(await driveResume(endpoint, chat, prompt));
  return checkResume(turns, await endpoint.resume(chat.id));
}

async function keepAlive({ endpoint, profile }: Visit): Promise<Verdicts> {
  if (profile.slow === undefined) {
    return { "keep-alive.comment": skipped("no prompt is known that keeps silent; name one with --slow-prompt") };
  }
  return { "keep-alive.comment": checkKeepAlive(await ask(endpoint, profile.slow), profile.silenceMs) };
}

async function stop({ endpoint, profile }: Visit): Promise<Verdicts> {
  return { "stop.next": checkAnswered(await driveStop(endpoint, profile)) };
}

async function idempotency({ endpoint, profile }: Visit): Promise<Verdicts> {
  const recordings = await new Chat(endpoint).sendTwice(profile.repeated);
  return { "idempotency.twice": checkIdempotency(recordings, profile.isIdempotent) };
}

async function concurrency({ endpoint, profile }: Visit): Promise<Verdicts> {
  return { "concurrency.separate": checkConcurrency(await driveChats(endpoint, profile)) };
}
