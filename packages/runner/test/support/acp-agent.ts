import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { setTimeout as after } from "node:timers/promises";
import {
  type AgentContext,
  agent,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
} from "@agentclientprotocol/sdk";

/**
 * An ACP agent that does what its prompt says, as JSON: `{"do": "read", "path": "..."}`. It remembers its prompts in a
 * file of its home, by the name of the conversation.
 */
const memory = (sessionId: string) => join(process.env.HOME ?? "", `${sessionId}.txt`);
const cancelled = new AbortController();

interface Turn {
  sessionId: string;
  client: AgentContext;
}

type Order = { do: string; path?: string; content?: string; command?: string; args?: string[]; cwd?: string };

async function say({ client, sessionId }: Turn, text: string): Promise<void> {
  const content = { type: "text" as const, text };
  await client.notify(methods.client.session.update, {
    sessionId,
    update: { sessionUpdate: "agent_message_chunk", content },
  });
}

async function tellCommands({ client, sessionId }: Turn, name: string): Promise<void> {
  const availableCommands = [{ name, description: "First line\nsecond line", input: { hint: "[topic]" } }];
  const update = { sessionUpdate: "available_commands_update" as const, availableCommands };
  await client.notify(methods.client.session.update, { sessionId, update });
}

async function tellTitle({ client, sessionId }: Turn, title: string): Promise<void> {
  const update = { sessionUpdate: "session_info_update" as const, title };
  await client.notify(methods.client.session.update, { sessionId, update });
}

async function permission({ client, sessionId }: Turn): Promise<string> {
  const request: RequestPermissionRequest = {
    sessionId,
    toolCall: { toolCallId: "call-1", title: "do something", kind: "execute", rawInput: { command: "it" } },
    options: [
      { optionId: "yes", name: "Yes", kind: "allow_once" },
      { optionId: "ever", name: "Always", kind: "allow_always" },
      { optionId: "no", name: "No", kind: "reject_once" },
    ],
  };
  return JSON.stringify((await client.request(methods.client.session.requestPermission, request)).outcome);
}

async function terminal({ client, sessionId }: Turn, { command = "", args, cwd }: Order): Promise<string> {
  const { create, waitForExit, output, release } = methods.client.terminal;
  const { terminalId } = await client.request(create, {
    sessionId,
    command,
    args,
    cwd,
    env: [{ name: "GREETING", value: "hi" }],
  });
  const status = await client.request(waitForExit, { sessionId, terminalId });
  const said = await client.request(output, { sessionId, terminalId });
  await client.request(release, { sessionId, terminalId });
  return JSON.stringify({ status, said });
}

async function form({ client, sessionId }: Turn): Promise<string> {
  const properties = { name: { type: "string" as const, title: "Name" } };
  const requestedSchema = { type: "object" as const, properties, required: ["name"] };
  const params = { mode: "form" as const, sessionId, message: "Who are you?", requestedSchema };
  return JSON.stringify(await client.request(methods.client.elicitation.create, params));
}

async function obey(turn: Turn, order: Order): Promise<string> {
  const { sessionId, client } = turn;
  const { path = "", content = "" } = order;
  switch (order.do) {
    case "read":
      return (await client.request(methods.client.fs.readTextFile, { sessionId, path })).content;
    case "write":
      await client.request(methods.client.fs.writeTextFile, { sessionId, path, content });
      return "written";
    case "terminal":
      return terminal(turn, order);
    case "permission":
      return permission(turn);
    case "form":
      return form(turn);
    case "environment":
      return JSON.stringify(process.env);
    case "remember":
      return readFileSync(memory(sessionId), "utf8");
    case "unknown":
      await client.notify("session/update", { sessionId, update: { sessionUpdate: "from_the_future" } });
      return "said";
    case "commands":
      await tellCommands(turn, content);
      return "told";
    case "title later":
      return "soon";
    case "many":
      for (let count = 0; count < 2_000; count += 1) await say(turn, `${count} `);
      return "";
    case "hang":
      await after(60_000, undefined, { signal: cancelled.signal }).catch(() => {});
      return "";
    case "die":
      return process.exit(7);
    default:
      throw new Error(`I do not know "${order.do}".`);
  }
}

agent({ name: "test-agent" })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: PROTOCOL_VERSION,
    agentCapabilities: { loadSession: true },
  }))
  .onRequest(methods.agent.session.new, () => ({ sessionId: `conversation-${process.pid}` }))
  .onRequest(methods.agent.session.load, async ({ params, client }) => {
    if (!existsSync(memory(params.sessionId))) throw new Error("I have forgotten that.");
    await say({ sessionId: params.sessionId, client }, "what was said before");
    return {};
  })
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const { sessionId, prompt } = params;
    const text = prompt.map((block) => (block.type === "text" ? block.text : "")).join("");
    appendFileSync(memory(sessionId), `${text}\n`);
    const order: Order = JSON.parse(text);
    await say({ sessionId, client }, await obey({ sessionId, client }, order));
    // The turn's end is on its way by then.
    if (order.do === "title later") setImmediate(() => void tellTitle({ sessionId, client }, order.content ?? ""));
    return { stopReason: cancelled.signal.aborted ? "cancelled" : "end_turn" };
  })
  .onNotification(methods.agent.session.cancel, () => cancelled.abort())
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>));
