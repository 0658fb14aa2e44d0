import { CHECK_IDS, type CheckId, type GroupName } from "./catalogue.ts";
import { ask } from "./chat.ts";
import type { Verdicts } from "./checks/answer.ts";
import { Endpoint, type EndpointSettings } from "./endpoint.ts";
import { GROUP_NAMES, GROUPS } from "./groups.ts";
import {
  agentOpsProfile,
  PLAIN_PROMPT,
  type Profile,
  type ProfileName,
  type Prompts,
  plainProfile,
} from "./profile.ts";
import { describeAnswer, type Recording } from "./recording.ts";
import { RELEASE_NAMES, type ReleaseName } from "./releases.ts";
import type { GroupResult, Report } from "./report.ts";
import { skipped } from "./verdict.ts";
import { Visit } from "./visit.ts";

export type CheckOptions = EndpointSettings & {
  readonly prompts?: Prompts;
  /** Found out from the `x-agent-ops` header where it is not given. */
  readonly profile?: ProfileName;
  /** Names of groups or ids of checks; all where there are none. */
  readonly only?: readonly string[];
  /** Whose schemas the frames are held against; all where it is not given. */
  readonly releases?: readonly ReleaseName[];
  /** How long a slow turn may be silent, where the profile's own measure is not wanted. */
  readonly silenceMs?: number;
  readonly onStart?: (profile: Profile) => void;
  readonly onGroup?: (group: GroupResult) => void;
};

/** The endpoint cannot be checked at all: it is not there, or lets nobody in. */
export class EndpointError extends Error {}

/** What `only` may name. */
export const CHECK_NAMES: readonly string[] = [...GROUP_NAMES, ...CHECK_IDS];

/** Looks at a chat endpoint from outside, as clients do. */
export async function runCheck(options: CheckOptions): Promise<Report> {
  const startedAt = performance.now();
  const visit = await openVisit(options);
  options.onStart?.(visit.profile);
  const groups: GroupResult[] = [];
  for (const [name, ids] of wantedGroups(options.only ?? [])) {
    const group = await runGroup(visit, name, ids);
    options.onGroup?.(group);
    groups.push(group);
  }
  return { url: options.url.href, profile: visit.profile.name, ms: performance.now() - startedAt, groups };
}

async function openVisit({ prompts = {}, releases = RELEASE_NAMES, ...options }: CheckOptions): Promise<Visit> {
  const endpoint = new Endpoint(options);
  const first = await ask(endpoint, prompts.prompt ?? PLAIN_PROMPT);
  refuseClosedDoors(options.url, first);
  const name = options.profile ?? (first.headers.has("x-agent-ops") ? "agent-ops" : "plain");
  const known = name === "agent-ops" ? agentOpsProfile(prompts) : plainProfile(prompts);
  const profile = { ...known, silenceMs: options.silenceMs ?? known.silenceMs };
  return new Visit({ endpoint, profile, releases, first });
}

function refuseClosedDoors(url: URL, first: Recording): void {
  const { status } = first;
  if (status === 0) throw new EndpointError(`${url.origin} cannot be reached: ${describeAnswer(first)}.`);
  if (status === 401 || status === 403) {
    throw new EndpointError(`${url.href} lets nobody in (HTTP ${status}). Give a token with --token, or a --header.`);
  }
  if (status === 404 || status === 405) {
    throw new EndpointError(
      `There is no chat endpoint at ${url.href}: POST is answered with ${describeAnswer(first)}.`,
    );
  }
}

function wantedGroups(only: readonly string[]): [GroupName, CheckId[]][] {
  return GROUP_NAMES.flatMap((name): [GroupName, CheckId[]][] => {
    const ids = CHECK_IDS.filter((id) => id.startsWith(`${name}.`));
    const wanted = only.length === 0 || only.includes(name) ? ids : ids.filter((id) => only.includes(id));
    return wanted.length === 0 ? [] : [[name, wanted]];
  });
}

async function runGroup(visit: Visit, name: GroupName, ids: readonly CheckId[]): Promise<GroupResult> {
  const startedAt = performance.now();
  const { needsSoundTurns, run } = GROUPS[name];
  const obstacle = needsSoundTurns ? visit.obstacle() : undefined;
  const verdicts: Verdicts = obstacle === undefined ? await run(visit) : {};
  const missing = skipped(obstacle === undefined ? "not looked at" : `needs ${obstacle}`);
  const checks = ids.map((id) => ({ id, verdict: verdicts[id] ?? missing }));
  return { name, ms: performance.now() - startedAt, checks };
}
