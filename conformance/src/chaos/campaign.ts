import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Auditor } from "./audit/auditor.ts";
import type { Problem } from "./audit/problems.ts";
import { Injector } from "./faults.ts";
import { type Plan, planCampaign, type Size } from "./plan.ts";
import { Stage } from "./stage.ts";

/** How long what was asked may take once nothing goes wrong any more. */
const REST_MS = 60_000;

/** How long a list of sessions may be wrong after that. */
const LIST_MS = 10_000;

export type Outcome = {
  seed: number;
  size: Size;
  turns: number;
  /** Turns that came to their own end, and those of them during which workerd was killed. */
  completed: number;
  outlived: number;
  prompts: number;
  faults: ReadonlyMap<string, number>;
  killsInside: number;
  rewinds: number;
  logged: number;
  compared: number;
  messages: number;
  bytes: number;
  lost: number;
  doubled: number;
  problems: readonly Problem[];
  /** Where the recordings are, unless all went well. */
  kept: string | undefined;
};

/** Runs the product through everything that the seed has in store for it, and holds what its clients got against its log. */
export async function runCampaign(seed: number, size: Size, stopped = new Promise<never>(() => {})): Promise<Outcome> {
  const plan = planCampaign(seed, size);
  const folder = mkdtempSync(join(tmpdir(), "agent-ops-chaos-"));
  const stage = await Stage.open(plan, folder);
  const auditor = new Auditor({ data: stage.product.data, scratch: folder }, tapesOf(stage));
  try {
    const injector = await Promise.race([play(plan, stage, auditor), stopped]);
    await rest(stage, auditor);
    await stage.close();
    auditor.finish(stage.homes, injector.kills);
    const outcome = outcomeOf(plan, auditor, injector);
    if (isSound(outcome)) rmSync(folder, { recursive: true });
    else stage.keepLog(folder);
    return isSound(outcome) ? outcome : { ...outcome, kept: folder };
  } catch (cause) {
    throw new Error(`The campaign of seed ${seed} broke off. Its recordings are in ${folder}`, { cause });
  } finally {
    auditor.close();
    await stage.destroy();
  }
}

/** Nothing is wrong, and what had to be tried was tried. */
export function isSound({ problems, killsInside, completed, outlived, messages }: Outcome): boolean {
  return problems.length === 0 && [killsInside, completed, outlived, messages].every((count) => count > 0);
}

async function play(plan: Plan, stage: Stage, auditor: Auditor): Promise<Injector> {
  const injector = new Injector(stage, auditor);
  const end = performance.now() + plan.size.seconds * 1000;
  const goesOn = () => performance.now() < end || !injected;
  let injected = false;
  const playing = stage.casts.map((cast) => cast.play(goesOn).then(() => "done", String));
  await injector.run(plan.faults);
  await injector.insist();
  injected = true;
  const late = delay(REST_MS, "still asking");
  for (const [index, cast] of stage.casts.entries()) {
    const how = await Promise.race([playing[index], late]);
    if (how !== "done") auditor.findings.add("stuck", cast.sessionId, `${how}; ${cast.state}`);
  }
  for (const { repeated, stops } of stage.casts) {
    injector.count("same-prompt-twice", repeated);
    injector.count("stop", stops);
  }
  return injector;
}

async function rest(stage: Stage, auditor: Auditor): Promise<void> {
  const rested = await Promise.all(stage.casts.map((cast) => cast.rests(REST_MS)));
  for (const [index, cast] of stage.casts.entries()) {
    if (!rested[index]) auditor.findings.add("stuck", cast.sessionId, cast.state);
    for (const list of await cast.misinformed(LIST_MS)) auditor.findings.add("different", cast.sessionId, list);
  }
}

function tapesOf({ casts }: Stage) {
  return casts.flatMap(({ tapes }) => tapes);
}

function outcomeOf(plan: Plan, auditor: Auditor, { counts, kills, killsInside }: Injector): Outcome {
  const { findings, histories, prompts, rewinds } = auditor;
  const logs = [...histories.values()];
  const turns = logs.flatMap(({ records }) => [...records.turns.values()]);
  const completed = turns.filter(({ endings }) => endings[0]?.reason === "end_turn");
  return {
    seed: plan.seed,
    size: plan.size,
    turns: turns.length,
    completed: completed.length,
    outlived: completed.filter((turn) => kills.workerdDuring(turn)).length,
    prompts,
    faults: counts,
    killsInside,
    rewinds,
    logged: logs.reduce((total, { seq }) => total + seq, 0),
    compared: findings.compared,
    messages: findings.messages,
    bytes: findings.bytes,
    lost: findings.count("lost"),
    doubled: findings.count("doubled"),
    problems: findings.problems,
    kept: undefined,
  };
}
