import { AppError } from "@agent-ops/shared/errors";
import type { Access } from "./access.ts";

/** What a visitor may ask for, below the path of their session. */
const DOORS = [
  /^GET \/messages$/,
  /^GET \/chat$/,
  /^POST \/chat$/,
  /^GET \/chat\/[^/]+\/stream$/,
  /^POST \/abort$/,
  /^POST \/questions\/[^/]+$/,
  /^POST \/ticket$/,
];

/** ACL11: a widget token opens the chat of its session, and no door that is not named here. */
export function requireScope({ widget }: Access, { method, url }: Request): void {
  if (!widget) return;
  const [, id, rest = ""] = /^\/api\/sessions\/([^/]+)(\/.*)?$/.exec(new URL(url).pathname) ?? [];
  if (id !== undefined && id !== widget.sessionId) throw new AppError("not_found", "There is no such session.");
  if (id !== undefined && DOORS.some((door) => door.test(`${method} ${rest}`))) return;
  throw new AppError("forbidden", "A widget token opens the chat of its session and nothing else.");
}
