import { AppError } from "@agent-ops/shared/errors";
import { isLoopback } from "./loopback.ts";

type Settings = { LOOPBACK?: string; ALLOWED_HOSTS?: string };

/**
 * SEC3: a page can point its own name at this machine (DNS rebinding), and then counts as ours for the browser; but the
 * browser says that name in `Host`. Where only this machine connects, only its names are known, and those of the operator.
 */
export function requireKnownHost({ LOOPBACK, ALLOWED_HOSTS = "" }: Settings, { url }: Request): void {
  const { host, hostname } = URL.parse(url) ?? {};
  if (host === undefined || hostname === undefined) throw new AppError("bad_request", "The `Host` is none.");
  const allowed = ALLOWED_HOSTS.split(",").map((name) => name.trim().toLowerCase());
  if (allowed.includes(host) || allowed.includes(hostname)) return;
  if (LOOPBACK === "true" ? isLoopback(hostname) : ALLOWED_HOSTS.trim() === "") return;
  const remedy = "Use http://localhost, or name the host in ALLOWED_HOSTS.";
  throw new AppError("forbidden", `Agent Ops is not known as ${host} here. ${remedy}`);
}
