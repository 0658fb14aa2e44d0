import { isIPv4 } from "node:net";
import { userInfo } from "node:os";
import { resolve } from "node:path";
import { UsageError } from "./usage-error.ts";

const DEFAULT_PORT = 8787;

export function dataFolder(option: string | undefined): string {
  return resolve(option ?? process.env.AGENT_OPS_DATA ?? ".agent-ops");
}

export function portNumber(option: string | undefined): number {
  const text = option ?? process.env.PORT ?? String(DEFAULT_PORT);
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new UsageError(`"${text}" is not a port number.`);
  return port;
}

/** A user is whatever a token's `sub` says; these are the names we mint. */
export function userName(option: string | undefined): string {
  if (option === undefined) throw new UsageError("Say for whom: --user NAME");
  if (!/^[\p{L}\p{N}._@+-]{1,128}$/u.test(option)) throw new UsageError(`"${option}" cannot be a user's name.`);
  return option;
}

export function localUser(): string {
  try {
    return userInfo().username || "me";
  } catch {
    return "me"; // a user id without a name, as in some containers
  }
}

/** "30s", "15m", "1h", "7d" */
export function duration(option: string): string {
  if (!/^[1-9]\d{0,5}[smhd]$/.test(option)) throw new UsageError(`"${option}" is not a time such as 15m, 1h or 7d.`);
  return option;
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}

/** The address people and runners on this machine use. */
export function baseUrl(host: string, port: number): string {
  const reachable = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}
