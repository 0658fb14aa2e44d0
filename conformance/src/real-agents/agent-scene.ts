import { join } from "node:path";
import type { LogEvent } from "@agent-ops/shared/events";
import { expect } from "vitest";
import type { ChatClient } from "../clients/create-client.ts";
import { expectHistory, expectSound, Scene } from "../scene.ts";
import { type ScriptStep, scripted } from "../scripted-model/script.ts";
import { golden } from "./golden.ts";

type Event<Type extends LogEvent["type"]> = Extract<LogEvent, { type: Type }>;
type Place = { url: string; data: string };

/** A session of a real agent, seen by a V2 reader and used through `useChat` 7, one turn after another. */
export class AgentScene {
  readonly scene: Scene;
  client: ChatClient;
  readonly workspace: string;

  private constructor(scene: Scene, data: string) {
    this.scene = scene;
    this.client = scene.client("7");
    this.workspace = join(data, "workspaces", scene.sessionId);
  }

  static async open(product: Place, wish: object): Promise<AgentScene> {
    return new AgentScene(await Scene.open(product, "alice", wish), product.data);
  }

  /** The client as after a reload: it has what the server has, whatever others did meanwhile. */
  async reload(): Promise<void> {
    this.client = await this.scene.reloaded("7");
  }

  /** Begins a turn whose model does what the steps say; `words` are there to find its requests by. */
  begin(steps: ScriptStep[], words?: string): AgentTurn {
    return this.say(scripted(steps, words));
  }

  say(text: string): AgentTurn {
    const from = this.scene.reader.events.length;
    return new AgentTurn(this, this.client.send(text), from);
  }

  /** A whole turn that needs nobody's help. */
  async run(steps: ScriptStep[], words?: string): Promise<AgentTurn> {
    const turn = this.begin(steps, words);
    await turn.ended();
    return turn;
  }
}

export class AgentTurn {
  #at: AgentScene;
  #sending: Promise<void>;
  #from: number;

  constructor(at: AgentScene, sending: Promise<void>, from: number) {
    this.#at = at;
    this.#sending = sending;
    this.#from = from;
  }

  get events(): LogEvent[] {
    return this.#at.scene.reader.events.slice(this.#from);
  }

  told<Type extends LogEvent["type"]>(type: Type): Event<Type>[] {
    return this.events.filter((event): event is Event<Type> => event.type === type);
  }

  get text(): string {
    return this.told("message.part.text-delta")
      .map(({ delta }) => delta)
      .join("");
  }

  /** Until the turn has told something like this. */
  async until(condition: (turn: AgentTurn) => boolean): Promise<void> {
    await this.#at.scene.reader.until(() => condition(this));
  }

  async question(count = 1): Promise<Event<"question">> {
    await this.until((turn) => turn.told("question").length >= count);
    const question = this.told("question")[count - 1];
    if (!question) throw new Error("Nothing was asked.");
    return question;
  }

  async answer(answer: unknown, count = 1): Promise<void> {
    const { questionId } = await this.question(count);
    const status = await this.#at.scene.api.answer(this.#at.scene.sessionId, String(questionId), answer);
    if (status !== 200) throw new Error(`The answer got ${status}.`);
  }

  /** How it ended, once the socket and the client both know. */
  async ended(): Promise<Event<"message.finalize">> {
    await this.until((turn) => turn.told("message.finalize").length > 0);
    await this.#sending;
    const [ending] = this.told("message.finalize");
    if (!ending) throw new Error("The turn has no end.");
    return ending;
  }

  /** The socket saw what the golden file says, and the client is sound and has what the server stored. */
  async expectGolden(name: string, isTold: (event: LogEvent) => boolean = () => true): Promise<void> {
    await this.ended();
    const { scene, client, workspace } = this.#at;
    await expectSound(client);
    await expectHistory(scene, client);
    const whole = this.events.slice(0, this.events.findIndex(({ type }) => type === "message.finalize") + 1);
    await expect(golden(whole.filter(isTold), workspace)).toMatchFileSnapshot(`golden/${name}.jsonl`);
  }
}
