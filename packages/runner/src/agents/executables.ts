import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Where a program is that agents would be started as; undefined where it is not installed. */
export function findExecutable(name: string, path = process.env.PATH ?? ""): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // not there, or not for us
  }
}
