import { Readable } from "node:stream";
import type { TurnHistory } from "@agent-ops/shared/frames";
import { z } from "zod";
import { type AgentPrompt, type ToolServer, TurnError } from "../../agent-client.ts";
import { isRemoved } from "../is-removed.ts";
import { readLines } from "../lines.ts";
import type { Reply } from "./questions.ts";
import { USER } from "./settings.ts";

const ANSWER_MS = 30_000;
const DATA = "data: ";
/** Of what was said before any prompt that has one. */
const NO_PLACE = 0;

const session = z.looseObject({ id: z.string(), title: z.string().default("") });
const providers = z.looseObject({
  providers: z.array(
    z.looseObject({
      id: z.string(),
      name: z.string().optional(),
      models: z.record(z.string(), z.looseObject({ name: z.string().optional() })),
    }),
  ),
});
const commands = z.array(z.looseObject({ name: z.string(), description: z.string().optional() }));
const configuration = z.looseObject({ model: z.string().optional() });
/** Where a prompt stands in the session's history: its text carries that, so that it can be found again. */
const place = z.looseObject({ agentOps: z.object({ place: z.number() }) });
const messages = z.array(
  z.looseObject({
    info: z.looseObject({ id: z.string() }),
    parts: z.array(z.looseObject({ metadata: z.unknown().optional() })),
  }),
);
const problem = z.looseObject({
  name: z.string().optional(),
  data: z.looseObject({ message: z.string().optional() }).optional(),
});

export type CalledCommand = { name: string; args: string };
type Command = z.infer<typeof commands>[number];

export interface Model {
  id: string;
  name: string;
  provider: string;
}

/** The calls of an OpenCode server that are used here. */
export class OpenCodeApi {
  #url: string;
  #authorization: string;

  constructor(url: string, password: string) {
    this.#url = url;
    this.#authorization = `Basic ${Buffer.from(`${USER}:${password}`).toString("base64")}`;
  }

  async createSession(): Promise<string> {
    return session.parse(await (await this.#call("POST", "/session", {})).json()).id;
  }

  /** The title of a session that it still has. */
  async findSession(id: string): Promise<{ title: string } | undefined> {
    const response = await this.#fetch("GET", `/session/${encodeURIComponent(id)}`);
    return response.ok ? session.parse(await response.json()) : undefined;
  }

  async prompt(sessionId: string, prompt: AgentPrompt): Promise<void> {
    const parts = [
      { type: "text", text: prompt.text, ...placed(prompt) },
      ...(prompt.attachments ?? []).map(({ mediaType, filename, url }) => {
        return { type: "file", mime: mediaType, url, ...(filename ? { filename } : {}) };
      }),
    ];
    await this.#call("POST", `/session/${sessionId}/prompt_async`, { parts, ...chosenModel(prompt.model) });
  }

  /** TURN9: takes out prompts that were replaced, each with what followed. Files stay as they are. */
  async forget(sessionId: string, removed: TurnHistory["removed"], signal: AbortSignal): Promise<void> {
    const said = messages.parse(await (await this.#call("GET", `/session/${sessionId}/message`)).json());
    let turn = NO_PLACE;
    const replaced = said.filter(({ parts }) => {
      turn = parts.map(({ metadata }) => placeIn(metadata)).find((found) => found !== undefined) ?? turn;
      return isRemoved(turn, removed);
    });
    for (const { info } of replaced.reverse()) {
      if (signal.aborted) return;
      await this.#call("DELETE", `/session/${sessionId}/message/${info.id}`);
    }
  }

  /** Runs one of its commands; the answer comes when the turn has ended, however long it takes. */
  async command(sessionId: string, { name, args }: CalledCommand, model: string | undefined): Promise<void> {
    const body = { command: name, arguments: args, ...(model === undefined ? {} : { model }) };
    await this.#call("POST", `/session/${sessionId}/command`, body, null);
  }

  async commands(): Promise<Command[]> {
    return commands.parse(await (await this.#call("GET", "/command")).json());
  }

  async abort(sessionId: string): Promise<void> {
    await this.#call("POST", `/session/${sessionId}/abort`, {});
  }

  async reply({ path, body }: Reply): Promise<void> {
    await this.#call("POST", path, body);
  }

  /** The model that it uses where a prompt names none. */
  async defaultModel(): Promise<string | undefined> {
    return configuration.parse(await (await this.#call("GET", "/config")).json()).model;
  }

  async models(): Promise<Model[]> {
    const { providers: found } = providers.parse(await (await this.#call("GET", "/config/providers")).json());
    return found.flatMap(({ id, name = id, models }) =>
      Object.entries(models).map(([model, about]) => ({
        id: `${id}/${model}`,
        name: about.name ?? model,
        provider: name,
      })),
    );
  }

  /** Offers it the tools of one more MCP server. */
  async addTools(name: string, { url, password }: ToolServer): Promise<void> {
    const headers = { authorization: `Bearer ${password}` };
    await this.#call("POST", "/mcp", { name, config: { type: "remote", url, headers, oauth: false, enabled: true } });
  }

  /** Everything that happens, from now on; `opened` is called when nothing can be missed any more. */
  async *events(opened: () => void): AsyncGenerator<unknown> {
    const response = await fetch(`${this.#url}/event`, { headers: { authorization: this.#authorization } });
    if (!response.ok || !response.body) throw new TurnError(`OpenCode's events cannot be read (${response.status}).`);
    for await (const line of readLines(Readable.fromWeb(response.body))) {
      if (!line.startsWith(DATA)) continue;
      // The first event says that it listens.
      opened();
      yield JSON.parse(line.slice(DATA.length));
    }
  }

  async #call(method: string, path: string, body?: unknown, timeout: number | null = ANSWER_MS): Promise<Response> {
    const response = await this.#fetch(method, path, body, timeout);
    if (response.ok) return response;
    const told = problem.safeParse(await response.json().catch(() => undefined)).data;
    const reason = told?.data?.message ?? told?.name ?? "no reason given";
    throw new TurnError(`OpenCode refused ${method} ${path.split("/")[1]} (${response.status}: ${reason}).`);
  }

  #fetch(method: string, path: string, body?: unknown, timeout: number | null = ANSWER_MS): Promise<Response> {
    return fetch(this.#url + path, {
      method,
      headers: { authorization: this.#authorization, "content-type": "application/json" },
      ...(timeout === null ? {} : { signal: AbortSignal.timeout(timeout) }),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }
}

/** A prompt that is one of the commands, and what follows the name. */
export function calledCommand(text: string, commands: readonly { name: string }[]): CalledCommand | undefined {
  const [, name, args = ""] = /^\s*\/(\S+)\s*([\s\S]*)$/.exec(text) ?? [];
  return name !== undefined && commands.some((command) => command.name === name) ? { name, args } : undefined;
}

function placed({ history }: AgentPrompt): { metadata?: z.input<typeof place> } {
  return history ? { metadata: { agentOps: { place: history.place } } } : {};
}

function placeIn(metadata: unknown): number | undefined {
  return place.safeParse(metadata).data?.agentOps.place;
}

function chosenModel(model: string | undefined): { model?: { providerID: string; modelID: string } } {
  if (model === undefined) return {};
  const [providerID = "", ...rest] = model.split("/");
  const modelID = rest.join("/");
  if (providerID === "" || modelID === "") {
    throw new TurnError(`OpenCode names a model by its provider, as in anthropic/claude; "${model}" does not.`);
  }
  return { model: { providerID, modelID } };
}
