import { createMCPClient, ElicitationRequestSchema, type MCPClient, type MCPClientConfig } from "@ai-sdk/mcp";
import { StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";
import type { ResolvedServer } from "../ai-sdk/program-settings.ts";
import type { AddressRules } from "./address-rules.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";

const CONNECT_MS = 20_000;
/** A server that goes on listing is not listened to for ever. */
const TOOLS = 1_000;

export type FormAnswer = { action: "accept" | "decline" | "cancel"; content?: Record<string, unknown> };
/** Puts a form to the people in the session. */
export type FillIn = (prompt: string, schema: Record<string, unknown>) => Promise<FormAnswer>;

export type McpTool = Awaited<ReturnType<MCPClient["listTools"]>>["tools"][number];

interface ConnectOptions {
  server: ResolvedServer;
  rules: AddressRules;
  fillIn: FillIn;
  /** Tools that nobody needs to be asked about. */
  harmless?: ReadonlySet<string>;
}

/** A connection to an MCP server, made when it is wanted and made again when it was lost. */
export class McpConnection {
  readonly name: string;
  readonly harmless: ReadonlySet<string>;
  #options: ConnectOptions;
  #client: Promise<MCPClient> | undefined;

  constructor(options: ConnectOptions) {
    this.name = options.server.name;
    this.harmless = options.harmless ?? new Set();
    this.#options = options;
  }

  /** A connection that was lost since it was last used is made again. */
  async tools(): Promise<McpTool[]> {
    const known = this.#client;
    try {
      return await listTools(await this.#connected());
    } catch (error) {
      await this.close();
      if (known) return this.tools();
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`The MCP server "${this.name}" cannot be used: ${reason}`, { cause: error });
    }
  }

  /** A result as it came, whole. */
  async call(name: string, input: unknown, signal: AbortSignal | undefined): Promise<unknown> {
    const client = await this.#connected();
    const args = typeof input === "object" && input !== null ? { ...input } : {};
    return client.callTool({ name, arguments: args, options: { signal } });
  }

  /** It is made again where it is wanted again. */
  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    this.#client = undefined;
    await client?.close().catch(() => {});
  }

  #connected(): Promise<MCPClient> {
    this.#client ??= this.#connect();
    return this.#client;
  }

  async #connect(): Promise<MCPClient> {
    const { fillIn } = this.#options;
    const client = await createMCPClient({
      transport: this.#transport(),
      clientName: "agent-ops",
      version: "0.1.0",
      capabilities: { elicitation: {} },
      initializationOptions: { timeout: CONNECT_MS },
      // Servers tell things that this client does not know, and that is all.
      onUncaughtError: () => {},
    });
    client.onElicitationRequest(ElicitationRequestSchema, ({ params }) => fillIn(params.message, schemaOf(params)));
    return client;
  }

  #transport(): MCPClientConfig["transport"] {
    const { server, rules } = this.#options;
    if (server.type === "http") {
      const { url, headers } = server;
      return { type: "http", url, headers, redirect: "follow", fetch: createGuardedFetch(rules) };
    }
    const { command, args, env } = server;
    return new StdioMCPTransport({ command, args, env: { ...ownVariables(), ...env }, stderr: "ignore" });
  }
}

/** What the agent's process was given itself and the transport does not pass on. */
function ownVariables(): Record<string, string> {
  const { TMPDIR, LANG, TZ } = process.env;
  return { ...(TMPDIR ? { TMPDIR } : {}), ...(LANG ? { LANG } : {}), ...(TZ ? { TZ } : {}) };
}

async function listTools(client: MCPClient): Promise<McpTool[]> {
  const tools: McpTool[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { params: { cursor } });
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined && tools.length < TOOLS);
  return tools;
}

function schemaOf({ requestedSchema }: { requestedSchema?: unknown }): Record<string, unknown> {
  return typeof requestedSchema === "object" && requestedSchema !== null ? { ...requestedSchema } : {};
}
