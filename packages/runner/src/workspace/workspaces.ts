import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { AgentPlace } from "../agent-places.ts";
import { type Checkout, checkOut, removeCheckout } from "./checkout.ts";
import { readSource } from "./source.ts";

const checkout = z.object({
  kind: z.enum(["empty", "worktree", "clone"]),
  repository: z.string().optional(),
  branch: z.string().optional(),
  baseBranch: z.string().optional(),
  base: z
    .string()
    .regex(/^[0-9a-f]{40,64}$/)
    .optional(),
});

interface WorkspacesOptions {
  /** Where the runner remembers what each folder is; no agent can read it. */
  dir: string;
  /** Folders whose repositories agents may work on. */
  roots: readonly string[];
}

/** The folders of all sessions of this host: what they were made from, and how they are taken away. */
export class Workspaces {
  #options: WorkspacesOptions;

  constructor(options: WorkspacesOptions) {
    this.#options = options;
    mkdirSync(options.dir, { recursive: true, mode: 0o700 });
  }

  /** Makes a session's folder what the session wants it to be, once. */
  async prepare(
    sessionId: string,
    place: AgentPlace,
    wanted: string | undefined,
    signal: AbortSignal,
  ): Promise<Checkout> {
    const known = this.#read(sessionId);
    if (known) return known;
    const source = readSource(wanted, this.#options.roots);
    const made = await checkOut({ source, place, sessionId, settingsDir: this.#options.dir, signal });
    writeFileSync(this.#file(sessionId), JSON.stringify(made), { mode: 0o600 });
    return made;
  }

  /** Before the folder itself is removed. */
  async remove(sessionId: string, workspace: string): Promise<void> {
    const known = this.#read(sessionId);
    if (known) await removeCheckout(known, workspace, this.#options.dir);
    rmSync(this.#file(sessionId), { force: true });
  }

  #read(sessionId: string): Checkout | undefined {
    try {
      return checkout.parse(JSON.parse(readFileSync(this.#file(sessionId), "utf8")));
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
      throw error;
    }
  }

  #file(sessionId: string): string {
    return join(this.#options.dir, `${sessionId}.json`);
  }
}
