import { randomInt, randomUUID } from "node:crypto";
import { expect, inject, it } from "vitest";
import type { Act } from "../src/model/acts.ts";
import { expectAgreement } from "../src/model/agreement.ts";
import { nextAct } from "../src/model/next-act.ts";
import { Random } from "../src/model/random.ts";
import { apply, EMPTY } from "../src/model/session-model.ts";
import { Stage } from "../src/model/stage.ts";
import { ObedientHost } from "../src/obedient-host.ts";

const product = inject("product");
/** MODEL_SEED plays an earlier run again, MODEL_STEPS makes it longer. */
const SEED = Number(process.env.MODEL_SEED ?? randomInt(2 ** 31));
const STEPS = Number(process.env.MODEL_STEPS ?? 600);

it("ACL2 ACL6 ACL7 ACL8 ACL9 TURN1 TURN2 Q2 LIFE2: a session does what its model does, whoever tries what", async () => {
  const random = new Random(SEED);
  const suffix = randomUUID().slice(0, 6);
  const people = ["ann", "bob", "cleo", "dan"].map((name) => `${name}-${suffix}`);
  const host = await ObedientHost.join(product);
  const stage = await Stage.open(product, host, people);
  const done: string[] = [];
  const outcomes = new Map<string, number>();
  let world = EMPTY;
  try {
    for (let step = 0; step < STEPS; step++) {
      const act: Act = nextAct(world, people, random);
      const { world: next, outcome } = apply(world, act);
      done.push(`${JSON.stringify(act)} -> ${outcome}`);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      expect(await stage.perform(act)).toBe(outcome);
      world = next;
      await expectAgreement(stage, world);
    }
  } catch (error) {
    const story = done.slice(-12).join("\n");
    throw new Error(`MODEL_SEED=${SEED}, act ${done.length}:\n${story}\n${error}`, { cause: error });
  } finally {
    stage.close();
    host.leave();
  }
  const counts = [...outcomes].map(([outcome, count]) => `${outcome} ${count}`).join(", ");
  console.warn(`model: MODEL_SEED=${SEED}, ${STEPS} acts: ${counts}`);
}, 180_000);
