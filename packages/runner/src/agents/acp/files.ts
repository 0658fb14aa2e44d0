import { constants } from "node:fs";
import { lstat, mkdir, open, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, sep } from "node:path";

/** A file that is asked for in one piece is at most this large. */
const FILE_BYTES = 16 * 1024 * 1024;

export class OutsideError extends Error {
  override name = "OutsideError";
}

/** Where a path really leads, links followed; throws where that is not below the folder. */
export async function insideOf(folder: string, path: string): Promise<string> {
  if (!isAbsolute(path)) throw new OutsideError("A path must be absolute.");
  const real = await realTarget(path);
  if (!isBelow(await realpath(folder), real)) throw new OutsideError("The path leads out of the workspace.");
  return real;
}

export interface ReadRequest {
  path: string;
  /** The first line, from 1. */
  line?: number | undefined;
  /** How many lines. */
  limit?: number | undefined;
}

export async function readInside(folder: string, { path, line, limit }: ReadRequest): Promise<string> {
  const file = await open(
    await insideOf(folder, path),
    constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
  );
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new Error("That is not a file.");
    if (stats.size > FILE_BYTES) throw new Error(`A file of more than ${FILE_BYTES} bytes is not read in one piece.`);
    const text = await file.readFile("utf8");
    return line === undefined && limit === undefined ? text : linesOf(text, line ?? 1, limit);
  } finally {
    await file.close();
  }
}

export async function writeInside(folder: string, path: string, content: string): Promise<void> {
  const target = await insideOf(folder, path);
  await mkdir(dirname(target), { recursive: true });
  const { O_WRONLY, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(target, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error("That is not a file.");
    await file.truncate();
    await file.writeFile(content);
  } finally {
    await file.close();
  }
}

function linesOf(text: string, first: number, count: number | undefined): string {
  const start = Math.max(first, 1) - 1;
  return text
    .split("\n")
    .slice(start, count === undefined ? undefined : start + count)
    .join("\n");
}

/** The real path of what exists of it, and the rest as it is. A link that points to nothing points out of the workspace. */
async function realTarget(path: string): Promise<string> {
  const found = await lstat(path).catch(() => undefined);
  if (found) return realpath(path).catch(() => Promise.reject(new OutsideError("A link leads out of the workspace.")));
  const parent = dirname(path);
  return parent === path ? path : join(await realTarget(parent), relative(parent, path));
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
