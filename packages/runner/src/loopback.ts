import { isIPv4 } from "node:net";

/** Whether a host as a URL has it is this machine. A name that only begins like an address is anybody's. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || (isIPv4(host) && host.startsWith("127."));
}
