import { BlockList, isIP } from "node:net";
import type { McpRules } from "./settings.ts";

export type AddressRules = {
  origins: ReadonlySet<string>;
  loopback: boolean;
  networks: BlockList;
};

export class AddressError extends Error {
  override name = "AddressError";
}

const LOOPBACK = listOf(["127.0.0.0/8", "::1/128"]);

/** Networks that are nobody's or not the world's, as the registries of special addresses name them. */
const SPECIAL = listOf([
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "3fff::/20",
]);
/** Of the other IPv6 addresses only these are the world's; that leaves out those that hold an IPv4 address. */
const GLOBAL_IPV6 = listOf(["2000::/3"]);

/** The servers' own origins are allowed, and those that the host's configuration adds. */
export function addressRules({ allow, loopback = false, networks }: McpRules, urls: readonly string[]): AddressRules {
  const origins = new Set([...allow, ...urls].map((url) => new URL(url).origin));
  return { origins, loopback, networks: listOf(networks) };
}

/** Throws where a URL may not be asked at all, whatever its name stands for. */
export function requireAllowedUrl(rules: AddressRules, url: URL): void {
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new AddressError("Only http and https are allowed.");
  if (url.username || url.password) throw new AddressError("An address must not hold a password.");
  if (!rules.origins.has(url.origin)) throw new AddressError(`${url.origin} is not among the allowed addresses.`);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host)) requireAllowedAddress(rules, host);
}

/** Throws where a connection to an address may not be made, whatever name it was found under. */
export function requireAllowedAddress(rules: AddressRules, address: string): void {
  const family = isIP(address) === 6 ? "ipv6" : "ipv4";
  if (LOOPBACK.check(address, family)) {
    if (rules.loopback) return;
    throw new AddressError("This machine itself may not be reached.");
  }
  const isGlobal = family === "ipv4" || GLOBAL_IPV6.check(address, family);
  if (isGlobal && !SPECIAL.check(address, family)) return;
  if (rules.networks.check(address, family)) return;
  throw new AddressError("Private networks may not be reached.");
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits = ""] = network.split("/");
    list.addSubnet(address, Number(bits), isIP(address) === 6 ? "ipv6" : "ipv4");
  }
  return list;
}
