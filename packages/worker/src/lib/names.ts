import { LIMITS } from "@agent-ops/shared/limits";

/** Before the name of a visitor of a widget, and of an agent that acts by itself. No person's name begins like these. */
export const VISITOR = "widget:";
export const AGENT = "agent:";

/** LIM7 */
export function isPersonsName(name: unknown): name is string {
  if (typeof name !== "string" || name === "" || name.length > LIMITS.nameChars) return false;
  return !name.startsWith(VISITOR) && !name.startsWith(AGENT);
}

/** What a runner host is called: by its token, and beside others with the same token by a name of its own. */
export function hostName(holder: string, name: string | undefined): string {
  return [holder, ...(name ? [name] : [])].map((part) => part.replaceAll("%", "%25").replaceAll("/", "%2F")).join("/");
}
