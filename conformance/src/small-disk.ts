import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PIECES = [1024 * 1024, 64 * 1024, 4 * 1024];

/** A disk of its own that can be filled to the last byte. To mount one takes root. */
export class SmallDisk {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Undefined where this machine does not let us. */
  static mount(megabytes: number): SmallDisk | undefined {
    const path = mkdtempSync(join(tmpdir(), "agent-ops-disk-"));
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=755`, "tmpfs", path], { stdio: "ignore" });
      return new SmallDisk(path);
    } catch {
      rmSync(path, { recursive: true });
      return undefined;
    }
  }

  /** Leaves no room for another byte. */
  fill(): void {
    const file = openSync(join(this.path, "filler"), "a");
    for (const bytes of PIECES) writeUntilFull(file, Buffer.alloc(bytes));
    closeSync(file);
  }

  free(): void {
    rmSync(join(this.path, "filler"), { force: true });
  }

  unmount(): void {
    execFileSync("umount", ["--lazy", this.path]);
    rmSync(this.path, { recursive: true, force: true });
  }
}

function writeUntilFull(file: number, piece: Buffer): void {
  try {
    while (writeSync(file, piece) === piece.length);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  }
}
