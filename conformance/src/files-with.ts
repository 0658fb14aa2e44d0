import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The files below a folder that hold these words anywhere, whatever their format. */
export function filesWith(folder: string, words: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => contentOf(path)?.includes(words));
}

function contentOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined; // gone in the meantime
    throw error;
  }
}
