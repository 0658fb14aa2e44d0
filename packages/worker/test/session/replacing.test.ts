import type { PromptInput } from "@agent-ops/shared/frames";
import { describe, expect, it } from "vitest";
import { finalize, OPTIONS, readLog, TestSession, text } from "../support/test-session.ts";

/** A session with a runner that answers whatever runs. */
class Conversation {
  readonly session = new TestSession();
  #runner = this.session.connectRunner();

  ask(prompt: PromptInput, edits = false): string {
    this.session.command({ kind: "prompt", prompt, edits, options: OPTIONS });
    return this.answer();
  }

  regenerate(promptId?: string): string {
    this.session.command({ kind: "regenerate", promptId, options: OPTIONS });
    return this.answer();
  }

  /** Ends the active turn with its id as text. */
  answer(): string {
    const turnId = this.session.room.turns.activeTurnId ?? "";
    if (this.#runner.socket.closed || this.session.epoch === 1) this.#runner = this.session.connectRunner();
    this.#runner.send({ type: "message.create", turnId }, text(turnId, turnId), finalize(turnId));
    return turnId;
  }

  /** The visible history: who said what. */
  get history(): string[] {
    return this.session.messages.map(({ role, parts }) => {
      const [first] = parts;
      return `${role}: ${first?.type === "text" ? first.text : ""}`;
    });
  }
}

describe("TURN9: what takes the place of what", () => {
  it("TURN9: an edit replaces its message and all that followed", () => {
    const talk = new Conversation();
    const first = talk.ask({ id: "p1", text: "one" });
    talk.ask({ id: "p2", text: "two" });
    talk.ask({ id: "p3", text: "three" });
    const edited = talk.ask({ id: "p2", text: "two, better" }, true);
    const expected = ["user: one", `assistant: ${first}`, "user: two, better", `assistant: ${edited}`];
    expect(talk.history).toEqual(expected);
    const removed = readLog(talk.session.log).filter((event) => event.type === "message.updated");
    expect(removed).toHaveLength(4);
    talk.session.crash();
    expect(talk.history).toEqual(expected);
  });

  it("TURN9: a regenerate replaces the answer, of the last prompt or of the one that is named", () => {
    const talk = new Conversation();
    const first = talk.ask({ id: "p1", text: "one" });
    const second = talk.ask({ id: "p2", text: "two" });
    const again = talk.regenerate();
    expect(again).not.toBe(second);
    expect(talk.history).toEqual(["user: one", `assistant: ${first}`, "user: two", `assistant: ${again}`]);
    const earlier = talk.regenerate("p1");
    expect(talk.history).toEqual(["user: one", `assistant: ${earlier}`]);
  });

  it("TURN9: the runner is told where each turn stands, and what was replaced at any time", () => {
    const { session } = new Conversation();
    const told = () => {
      const prompt = session.connectRunner().socket.commands.findLast(({ type }) => type === "prompt");
      return prompt?.type === "prompt" ? prompt.history : undefined;
    };
    const ask = (prompt: PromptInput, edits = false) => {
      session.command({ kind: "prompt", prompt, edits, options: OPTIONS });
      return told();
    };
    const end = () => {
      const turnId = session.room.turns.activeTurnId ?? "";
      session.connectRunner().send({ type: "message.create", turnId }, finalize(turnId));
    };
    expect(ask({ id: "p1", text: "one" })).toEqual({ place: 2, removed: [] });
    end();
    expect(ask({ id: "p2", text: "two" })).toEqual({ place: 4, removed: [] });
    end();
    expect(ask({ id: "p2", text: "two, better" }, true)).toEqual({ place: 6, removed: [[3, 4]] });
    session.crash();
    expect(told()).toEqual({ place: 6, removed: [[3, 4]] });
    end();
    expect(ask({ id: "p3", text: "three" })).toEqual({ place: 8, removed: [[3, 4]] });
    end();
    session.command({ kind: "regenerate", promptId: "p3", options: OPTIONS });
    expect(told()).toEqual({
      place: 9,
      removed: [
        [3, 4],
        [8, 8],
      ],
    });
    end();
    session.command({ kind: "regenerate", promptId: "p1", options: OPTIONS });
    expect(told()).toEqual({ place: 10, removed: [[2, 9]] });
  });

  it("TURN9: the same edit twice, or a regenerate while it runs, joins the turn there is", () => {
    const talk = new Conversation();
    const { session } = talk;
    talk.ask({ id: "p1", text: "one" });
    const edit = { kind: "prompt", prompt: { id: "p1", text: "better" }, edits: true, options: OPTIONS } as const;
    session.command(edit);
    session.command(edit);
    expect(session.room.turns.queue).toEqual([]);
    talk.answer();
    session.command(edit);
    expect(session.room.turns.active).toBeNull();
    const regenerate = { kind: "regenerate", promptId: "p1", options: OPTIONS } as const;
    session.command(regenerate);
    session.command(regenerate);
    expect(session.room.turns.queue).toEqual([]);
    const last = talk.answer();
    expect(talk.history).toEqual(["user: better", `assistant: ${last}`]);
  });

  it("TURN9: nothing leaves the history before the new turn begins", () => {
    const talk = new Conversation();
    const { session } = talk;
    const first = talk.ask({ id: "p1", text: "one" });
    const runningId = session.prompt("two", "p2");
    session.command({ kind: "prompt", prompt: { id: "p1", text: "one, better" }, edits: true, options: OPTIONS });
    expect(talk.history.slice(0, 2)).toEqual(["user: one", `assistant: ${first}`]);
    expect(talk.answer()).toBe(runningId);
    const edited = talk.answer();
    expect(talk.history).toEqual(["user: one, better", `assistant: ${edited}`]);
  });
});
