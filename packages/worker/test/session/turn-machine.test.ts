import type { KnownLogPayload } from "@agent-ops/shared/events";
import { LIMITS } from "@agent-ops/shared/limits";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ActiveTurn,
  admit,
  IDLE,
  type Prompt,
  type TurnInput,
  type TurnState,
  transition,
} from "../../src/durable-objects/session/turn-machine.ts";

function prompt(number: number): Prompt {
  return { id: `prompt-${number}`, turnId: `turn-${number}`, text: "hi", userId: "ann", createdAt: 0 };
}

/** What went in and came out, kept apart from the machine's own state. */
type History = { accepted: string[]; withdrawn: string[]; started: string[]; ended: string[] };

function observe(history: History, input: TurnInput, before: TurnState): TurnState {
  const { state, outputs } = transition(before, input);
  const refused = outputs.some((output) => output.type === "refuse");
  if (refused) expect(state).toEqual(before);
  if (input.type === "prompt" && !refused) history.accepted.push(input.prompt.turnId);
  if (input.type === "withdraw" && !refused) history.withdrawn.push(input.turnId);
  for (const output of outputs) if (output.type === "start") history.started.push(output.prompt.turnId);
  const left = before.active?.prompt.turnId;
  if (left !== undefined && left !== state.active?.prompt.turnId) history.ended.push(left);
  return state;
}

function expectSound(history: History, state: TurnState): void {
  const active = state.active?.prompt.turnId;
  const open = active === undefined ? [] : [active];
  expect(history.started).toEqual([...history.ended, ...open]);
  const waiting = state.queue.map((entry) => entry.turnId);
  const notWithdrawn = history.accepted.filter((turnId) => !history.withdrawn.includes(turnId));
  expect([...history.started, ...waiting]).toEqual(notWithdrawn);
  expect(waiting.length).toBeLessThanOrEqual(LIMITS.queueLength);
  if (active === undefined) expect(waiting).toEqual([]);
}

type Step = { kind: TurnInput["type"]; pick: number };

function inputOf({ kind, pick }: Step, prompts: number, state: TurnState): TurnInput {
  const some = prompt(Math.floor(pick * (prompts + 1)));
  const likely = pick < 0.7 ? (state.active?.prompt ?? some) : some;
  switch (kind) {
    case "prompt":
      return { type: kind, prompt: prompt(prompts) };
    case "withdraw":
      return { type: kind, turnId: some.turnId };
    case "abort":
      return { type: kind, turnId: pick < 0.3 ? undefined : likely.turnId };
    default:
      return { type: kind, turnId: likely.turnId };
  }
}

const steps = fc.array(
  fc.record({
    kind: fc.oneof(
      { weight: 6, arbitrary: fc.constant<TurnInput["type"]>("prompt") },
      { weight: 4, arbitrary: fc.constantFrom<TurnInput["type"][]>("withdraw", "abort", "created", "ended") },
    ),
    pick: fc.double({ min: 0, max: 0.999, noNaN: true }),
  }),
  { maxLength: 250, size: "max" },
);

describe("transition", () => {
  it("TURN1, TURN3, TURN4: one active turn, order kept, each prompt starts once or is withdrawn, each turn ends once", () => {
    fc.assert(
      fc.property(steps, (list) => {
        const history: History = { accepted: [], withdrawn: [], started: [], ended: [] };
        let state = IDLE;
        let prompts = 0;
        for (const entry of list) {
          const input = inputOf(entry, prompts, state);
          if (input.type === "prompt") prompts += 1;
          state = observe(history, input, state);
          expectSound(history, state);
        }
        while (state.active) {
          state = observe(history, { type: "ended", turnId: state.active.prompt.turnId }, state);
          expectSound(history, state);
        }
      }),
      { numRuns: 150 },
    );
  });

  it("TURN1: 50 prompts wait, the 51st is refused, and one that left makes room for one", () => {
    let { state } = transition(IDLE, { type: "prompt", prompt: prompt(0) });
    for (let number = 1; number <= 50; number++) {
      const next = transition(state, { type: "prompt", prompt: prompt(number) });
      expect(next.outputs).toEqual([{ type: "queue-changed" }]);
      state = next.state;
    }
    const refused = transition(state, { type: "prompt", prompt: prompt(51) });
    expect(refused.outputs).toMatchObject([{ type: "refuse", code: "queue_full" }]);
    expect(refused.state).toBe(state);
    const left = transition(state, { type: "withdraw", turnId: "turn-20" });
    const again = transition(left.state, { type: "prompt", prompt: prompt(51) });
    expect(again.outputs).toEqual([{ type: "queue-changed" }]);
    expect(again.state.queue.at(-1)?.id).toBe("prompt-51");
  });

  it("TURN6: an abort stops the turn it names, once; without a name it stops the active one", () => {
    const running = transition(IDLE, { type: "prompt", prompt: prompt(1) }).state;
    expect(transition(running, { type: "abort", turnId: "turn-2" }).outputs).toMatchObject([
      { type: "refuse", code: "nothing_running" },
    ]);
    const stopping = transition(running, { type: "abort" });
    expect(stopping.outputs).toEqual([{ type: "stop", turnId: "turn-1" }]);
    expect(transition(stopping.state, { type: "abort" }).outputs).toEqual([]);
    expect(transition(IDLE, { type: "abort" }).outputs).toMatchObject([{ type: "refuse", code: "nothing_running" }]);
  });

  it("TURN6: a turn that is told to stop stays so when its runner first speaks", () => {
    const running = transition(IDLE, { type: "prompt", prompt: prompt(1) }).state;
    const stopping = transition(running, { type: "abort" }).state;
    expect(transition(stopping, { type: "created", turnId: "turn-1" }).state.active?.phase).toBe("stopping");
  });
});

/** The first turn in this phase, as the machine itself makes it. */
function active(phase: ActiveTurn["phase"]): ActiveTurn | null {
  const steps: TurnInput[] = [{ type: "prompt", prompt: prompt(1) }];
  if (phase !== "starting") steps.push({ type: "created", turnId: "turn-1" });
  if (phase === "stopping") steps.push({ type: "abort" });
  return steps.reduce((state, step) => transition(state, step).state, IDLE).active;
}

const finalize = (turnId: string): KnownLogPayload => ({ type: "message.finalize", turnId, reason: "end_turn" });
const delta = (turnId: string): KnownLogPayload => ({ type: "message.part.text-delta", turnId, delta: "x" });
const complete = (turnId?: string): KnownLogPayload => ({ type: "complete", turnId });
const failure = (turnId?: string): KnownLogPayload => ({ type: "error", turnId, message: "no" });
const chunk = (turnId?: string): KnownLogPayload => ({ type: "chunk", turnId, content: "x" });
const title: KnownLogPayload = { type: "title", title: "A title" };
const thinking: KnownLogPayload = { type: "agentStatus", status: "thinking" };

describe("admit", () => {
  it.each<[string, ActiveTurn | null, KnownLogPayload, ReturnType<typeof admit>]>([
    ["TURN3: the active turn's finalize ends it", active("running"), finalize("turn-1"), "end"],
    ["TURN3: even before its create came", active("starting"), finalize("turn-1"), "end"],
    ["TURN6: and while it stops", active("stopping"), finalize("turn-1"), "end"],
    ["TURN3: a finalize of another turn is dropped", active("running"), finalize("turn-0"), "drop"],
    ["TURN3: and one without a turn", null, finalize("turn-1"), "drop"],
    ["TURN8: complete that names it ends it", active("running"), complete("turn-1"), "end"],
    ["TURN8: complete of another turn is dropped", active("running"), complete("turn-0"), "drop"],
    ["TURN8: complete before the turn's first event is dropped", active("starting"), complete("turn-1"), "drop"],
    ["TURN8: complete without a turn is dropped", null, complete(), "drop"],
    ["TURN8: an error that names the turn ends it", active("running"), failure("turn-1"), "end"],
    ["TURN3: an error of another turn is dropped", active("running"), failure("turn-0"), "drop"],
    ["TURN3: an error of a turn that is over is dropped", null, failure("turn-1"), "drop"],
    ["TURN8: an error that names no turn is only told", active("running"), failure(), "append"],
    ["TURN3: content of the active turn is taken", active("running"), delta("turn-1"), "append"],
    ["TURN3: content of another turn is dropped", active("running"), delta("turn-0"), "drop"],
    ["TURN3: content of a turn that is over is dropped", null, delta("turn-1"), "drop"],
    ["TR13: a chunk of the active turn is taken", active("running"), chunk("turn-1"), "append"],
    ["TURN3: a chunk of no turn is dropped when none runs", null, chunk(), "drop"],
    ["EV1: what belongs to no turn is taken at any time", null, title, "append"],
    ["EV1: and a status that names none", null, thinking, "append"],
    ["RUN7: a ping is no event of the log", active("running"), { type: "ping" }, "drop"],
  ])("%s", (_rule, turn, event, verdict) => {
    expect(admit(turn, event)).toBe(verdict);
  });
});
