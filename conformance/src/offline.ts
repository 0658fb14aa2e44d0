import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Loaded into every Node process of a program: refuses what goes beyond this machine, and writes down that it did. */
const GUARD = `
const { appendFileSync } = require("node:fs");
const { Socket } = require("node:net");
const { connect } = Socket.prototype;
Socket.prototype.connect = function (...args) {
  const { host, path } = [args[0]].flat(2)[0] ?? {};
  if (path || ["127.0.0.1", "::1", "localhost"].includes(host ?? "localhost")) return connect.apply(this, args);
  appendFileSync(process.env.OFFLINE_LOG, host + "\\n");
  process.nextTick(() => this.destroy(new Error("There is no network here.")));
  return this;
};`;

/** A machine without a network and without anybody's settings. */
export class Offline {
  readonly folder = mkdtempSync(join(tmpdir(), "agent-ops-offline-"));
  #log = join(this.folder, "attempts");

  get env(): Record<string, string> {
    const guard = join(this.folder, "guard.cjs");
    writeFileSync(guard, GUARD);
    return {
      CI: "1",
      HOME: this.folder,
      TMPDIR: this.folder,
      XDG_CONFIG_HOME: this.folder,
      NODE_OPTIONS: `--require=${guard}`,
      OFFLINE_LOG: this.#log,
    };
  }

  /** The hosts that somebody tried to reach. */
  attempts(): string[] {
    return existsSync(this.#log) ? readFileSync(this.#log, "utf8").trim().split("\n") : [];
  }
}
