import { appendFileSync, closeSync, fstatSync, mkdirSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";

const LINE_END = "\n";

/** Adds values to a file, each a line. A line that a death tore stays one of its own, and takes none with it. */
export function appendLines(path: string, values: readonly unknown[]): void {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, "a+");
  try {
    const lines = values.map((value) => JSON.stringify(value) + LINE_END).join("");
    appendFileSync(file, isTorn(file) ? LINE_END + lines : lines);
  } finally {
    closeSync(file);
  }
}

function isTorn(file: number): boolean {
  const { size } = fstatSync(file);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last.toString() !== LINE_END;
}
