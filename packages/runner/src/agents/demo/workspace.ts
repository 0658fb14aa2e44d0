import { lstatSync, realpathSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";

export async function listFiles(workspace: string): Promise<string[]> {
  const entries = await readdir(workspace, { withFileTypes: true });
  return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
}

/** Writes a file of the workspace; throws for a path that leads out of it, be it through a link. */
export async function writeInside(workspace: string, path: string, content: string): Promise<void> {
  const target = resolve(workspace, path);
  if (!isInside(workspace, target) || !isInside(realpathSync(workspace), realpathSync(nearestExisting(target)))) {
    throw new Error(`"${path}" is outside the workspace.`);
  }
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, content);
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** A link counts as existing even where it points to nothing. */
function nearestExisting(path: string): string {
  return lstatSync(path, { throwIfNoEntry: false }) ? path : nearestExisting(dirname(path));
}
