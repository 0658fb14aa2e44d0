import { stepCountIs, streamText, type ToolSet, type UserContent } from "ai";
import type { AgentPrompt } from "../../agent-client.ts";
import { AiSdkToV2 } from "../ai-sdk-to-v2.ts";
import { gatherTools } from "../mcp/toolbox.ts";
import { chooseModel } from "./choice.ts";
import type { ConversationMemory } from "./memory.ts";
import { loadModel } from "./models.ts";
import type { ProgramSettings } from "./program-settings.ts";
import { Servers } from "./servers.ts";
import type { Turn } from "./turn.ts";

/** A model that cannot be reached is asked this many times more. */
const RETRIES = 2;

/** The loop: a model, the tools of MCP servers, and what was said so far. */
export class Conversation {
  #settings: ProgramSettings;
  #memory: ConversationMemory;
  #servers: Servers;
  #turn: Turn | undefined;

  constructor(settings: ProgramSettings, memory: ConversationMemory) {
    this.#settings = settings;
    this.#memory = memory;
    this.#servers = new Servers(
      settings,
      async (prompt, schema) => (await this.#turn?.fillIn(prompt, schema)) ?? { action: "cancel" },
    );
  }

  /** One turn, with what the prompt chose of what the host allows. */
  async run(prompt: AgentPrompt, turn: Turn): Promise<void> {
    this.#turn = turn;
    const { provider, model } = chooseModel(this.#settings.providers, prompt);
    const { connections, close } = this.#servers.open(prompt.mcpServers);
    try {
      const tools = await gatherTools(connections, (callId, tool) => turn.permit(callId, tool));
      const loaded = await loadModel(provider.settings, model, prompt.apiKey ?? provider.key);
      await this.#converse(prompt, turn, { model: loaded, tools });
    } finally {
      void close();
    }
  }

  /** What the model said is remembered step by step, and what it was saying when it was stopped. */
  async #converse(
    prompt: AgentPrompt,
    turn: Turn,
    equipment: { model: Awaited<ReturnType<typeof loadModel>>; tools: ToolSet },
  ): Promise<void> {
    const { temperature, maxOutputTokens, maxSteps } = this.#settings;
    this.#memory.begin(prompt);
    this.#memory.add([{ role: "user", content: contentOf(prompt) }]);
    let unfinished = "";
    const result = streamText({
      ...equipment,
      instructions: this.#instructions(prompt),
      temperature: prompt.temperature ?? temperature,
      maxOutputTokens,
      messages: this.#memory.recent(),
      stopWhen: stepCountIs(maxSteps),
      abortSignal: turn.signal,
      maxRetries: RETRIES,
      onError: () => {},
      onStepEnd: ({ response }) => this.#memory.add(response.messages),
    });
    const mapper = new AiSdkToV2(maxSteps);
    try {
      for await (const part of result.stream) {
        if (part.type === "text-delta") unfinished += part.text;
        if (part.type === "finish-step") unfinished = "";
        for (const event of mapper.events(part)) await turn.tell(event);
      }
    } finally {
      if (unfinished !== "") this.#memory.add([{ role: "assistant", content: unfinished }]);
    }
  }

  /** The host's own words come first. */
  #instructions({ system }: AgentPrompt): string | undefined {
    const parts = [this.#settings.instructions, system].filter((part) => part);
    return parts.length === 0 ? undefined : parts.join("\n\n");
  }
}

function contentOf({ text, attachments = [] }: AgentPrompt): UserContent {
  if (attachments.length === 0) return text;
  const files = attachments.map(({ url, mediaType, filename }) => ({
    type: "file" as const,
    data: url,
    mediaType,
    filename,
  }));
  return text === "" ? files : [...files, { type: "text", text }];
}
