import { createHash } from "node:crypto";
import { type AddressRules, addressRules } from "../mcp/address-rules.ts";
import { type FillIn, McpConnection } from "../mcp/connection.ts";
import { chooseServers } from "./choice.ts";
import type { ProgramSettings, ResolvedServer } from "./program-settings.ts";

const OWN_SERVER = "agent_ops";
const HARMLESS = new Set(["ask_user", "set_title"]);
const HOST_CHARS = 12;
const MARK_CHARS = 6;

/** The MCP servers of a conversation. Those that a prompt names by address are connected for its turn alone. */
export class Servers {
  #servers: readonly ResolvedServer[];
  #rules: AddressRules;
  #fillIn: FillIn;
  #configured: McpConnection[];
  #own: McpConnection[];

  constructor({ servers, rules, toolServer }: ProgramSettings, fillIn: FillIn) {
    const urls = servers.flatMap((server) => (server.type === "http" ? [server.url] : []));
    this.#servers = servers;
    this.#rules = addressRules(rules, urls);
    this.#fillIn = fillIn;
    this.#configured = servers.map((server) => this.#connection(server));
    this.#own = toolServer ? [ownConnection(toolServer, fillIn)] : [];
  }

  /** Throws where one is wanted that the host does not allow. */
  open(wanted: readonly string[] | undefined): { connections: McpConnection[]; close(): Promise<void> } {
    const { names, addresses } = chooseServers(this.#servers, this.#rules, wanted);
    const configured = this.#configured.filter(({ name }) => names.has(name));
    const visited = addresses.map((url) =>
      this.#connection({ type: "http", name: nameFor(url), url: url.href, headers: {} }),
    );
    const close = async () => {
      await Promise.all(visited.map((connection) => connection.close()));
    };
    return { connections: [...configured, ...visited, ...this.#own], close };
  }

  #connection(server: ResolvedServer): McpConnection {
    return new McpConnection({ server, rules: this.#rules, fillIn: this.#fillIn });
  }
}

/** The runner's own server is on loopback whatever the rules for others are. */
function ownConnection({ url, password }: { url: string; password: string }, fillIn: FillIn): McpConnection {
  const server = { type: "http" as const, name: OWN_SERVER, url, headers: { authorization: `Bearer ${password}` } };
  const rules = addressRules({ allow: [], loopback: true, networks: [] }, [url]);
  return new McpConnection({ server, rules, fillIn, harmless: HARMLESS });
}

/** The same for the same address, and no other's: approvals go by it. */
function nameFor({ hostname, href }: URL): string {
  const host = hostname.replace(/\W/g, "_").slice(0, HOST_CHARS);
  return `url_${host}_${createHash("sha256").update(href).digest("hex").slice(0, MARK_CHARS)}`;
}
