import { type AddressRules, requireAllowedUrl } from "../mcp/address-rules.ts";
import type { ResolvedProvider, ResolvedServer } from "./program-settings.ts";

type ModelWish = { provider?: string | undefined; model?: string | undefined };
type ModelChoice = { provider: ResolvedProvider; model: string };

/** OPT2: a model of the host's configuration; the agent's usual one where the prompt names none. */
export function chooseModel(providers: readonly ResolvedProvider[], { provider, model }: ModelWish): ModelChoice {
  const named = provider === undefined ? providers : providers.filter(({ name }) => name === provider);
  if (named.length === 0) {
    throw new Error(`This agent has no provider "${provider}". It has: ${list(providers.map(({ name }) => name))}.`);
  }
  const found = model === undefined ? named[0] : named.find(({ models }) => models.includes(model));
  const chosen = model ?? found?.models[0];
  if (found && chosen !== undefined) return { provider: found, model: chosen };
  const whose = provider === undefined ? "This agent" : `The provider "${provider}" of this agent`;
  throw new Error(`${whose} has no model "${model}". It has: ${list(named.flatMap(({ models }) => models))}.`);
}

type ServerChoice = { names: ReadonlySet<string>; addresses: readonly URL[] };

/** OPT3: servers of the host's configuration by their names, and others by addresses that its rules allow. */
export function chooseServers(
  servers: readonly ResolvedServer[],
  rules: AddressRules,
  wanted: readonly string[] = servers.map(({ name }) => name),
): ServerChoice {
  const names = new Set<string>();
  const addresses = new Map<string, URL>();
  for (const wish of wanted) {
    const known = servers.find((server) => server.name === wish || (server.type === "http" && server.url === wish));
    if (known) names.add(known.name);
    else addresses.set(wish, allowedAddress(wish, servers, rules));
  }
  return { names, addresses: [...addresses.values()] };
}

function allowedAddress(wish: string, servers: readonly ResolvedServer[], rules: AddressRules): URL {
  const allowed = `It has: ${list(servers.map(({ name }) => name))}. Allowed addresses: ${list([...rules.origins])}.`;
  const url = URL.parse(wish);
  if (!url) throw new Error(`This agent has no MCP server "${wish}". ${allowed}`);
  try {
    requireAllowedUrl(rules, url);
    return url;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`This agent may not use the MCP server at ${url.host}. ${reason} ${allowed}`, { cause: error });
  }
}

function list(names: readonly string[]): string {
  return names.length === 0 ? "none" : [...new Set(names)].join(", ");
}
