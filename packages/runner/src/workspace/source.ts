import { realpathSync } from "node:fs";
import { isAbsolute, relative } from "node:path";
import { TurnError } from "../agent-client.ts";

/** What a session's folder is made from. */
export type WorkspaceSource =
  | { kind: "empty" }
  | { kind: "local"; path: string; ref?: string }
  | { kind: "remote"; url: string; ref?: string };

const REF = /^\w[\w./-]{0,200}$/;
const SSH_SHORT = /^[\w][\w.-]*@[\w][\w.-]*:(?!\/\/)[\w~/][\w./~+-]*$/;
const FORMS = "an address that begins with https:// or ssh://, git@host:path, or the path of a repository on the host";

/** Reads `ADDRESS` or `ADDRESS#REF`; an address is a URL, or a path inside of one of the host's own roots. */
export function readSource(workspace: string | undefined, roots: readonly string[]): WorkspaceSource {
  if (workspace === undefined || workspace === "") return { kind: "empty" };
  const [address = "", ref, ...more] = workspace.split("#");
  if (more.length > 0 || (ref !== undefined && !isRef(ref))) throw new TurnError(`"${ref}" is not a branch or a tag.`);
  const named = ref === undefined ? {} : { ref };
  if (isAbsolute(address)) return { kind: "local", path: allowedPath(address, roots), ...named };
  return { kind: "remote", url: allowedUrl(address), ...named };
}

function isRef(ref: string): boolean {
  return REF.test(ref) && !ref.includes("..");
}

function allowedUrl(address: string): string {
  if (SSH_SHORT.test(address)) return address;
  const url = URL.parse(address);
  if ((url?.protocol !== "https:" && url?.protocol !== "ssh:") || url.hostname.startsWith("-")) {
    throw new TurnError(`"${address}" cannot be a workspace: it takes ${FORMS}.`);
  }
  if (url.password !== "") {
    throw new TurnError("An address must not hold a password; give it to git on the host, as a credential helper.");
  }
  return url.href;
}

function allowedPath(path: string, roots: readonly string[]): string {
  const real = realPath(path);
  if (real !== undefined && roots.some((root) => isWithin(real, realPath(root)))) return real;
  const remedy = "The host decides which folders agents may work on: --workspace-root FOLDER.";
  throw new TurnError(`"${path}" is not inside a folder that this host allows. ${remedy}`);
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined; // not there
  }
}

function isWithin(path: string, root: string | undefined): boolean {
  if (root === undefined) return false;
  const way = relative(root, path);
  return way === "" || (!way.startsWith("..") && !isAbsolute(way));
}
