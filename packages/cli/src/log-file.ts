import { appendFileSync } from "node:fs";

const FULL = /SQLITE_FULL|ENOSPC/;
const FULL_AGAIN_MS = 10_000;

/**
 * Lines of the processes below us: all of them in a file, and on the terminal what is not routine. Structured lines say
 * how grave they are; anything else was written by a runtime and matters.
 */
export function logTo(file: string): (line: string) => void {
  let fullSaidAt = Number.NEGATIVE_INFINITY;
  return (line) => {
    try {
      appendFileSync(file, `${line}\n`);
    } catch {
      // A disk that is full must not end what is watched over; what matters is still said on the terminal.
    }
    if (!/^\{.*"level":"(?:debug|info)"/.test(line)) console.error(line);
    if (!FULL.test(line) || performance.now() - fullSaidAt < FULL_AGAIN_MS) return;
    fullSaidAt = performance.now();
    console.error("The disk that holds the data is full. Nothing new is taken until there is room; nothing is lost.");
  };
}
