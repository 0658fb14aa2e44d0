import { appendFileSync } from "node:fs";

const FULL = /SQLITE_FULL|ENOSPC/;
const FULL_AGAIN_MS = 10_000;

/** A structured line says how grave it is. workerd tells of every client that closes, and its stacks are addresses. */
const ROUTINE = [/^\{.*"level":"(?:debug|info)"/, /disconnected: /, /NOSENTRY/, /^stack: /];

/** Lines of the processes below us: all of them in a file, and on the terminal what is not routine. */
export function logTo(file: string): (line: string) => void {
  let fullSaidAt = Number.NEGATIVE_INFINITY;
  return (line) => {
    try {
      appendFileSync(file, `${line}\n`);
    } catch {
      // A disk that is full must not end what is watched over; what matters is still said on the terminal.
    }
    if (!ROUTINE.some((pattern) => pattern.test(line))) console.error(line);
    if (!FULL.test(line) || performance.now() - fullSaidAt < FULL_AGAIN_MS) return;
    fullSaidAt = performance.now();
    console.error("The disk that holds the data is full. Nothing new is taken until there is room; nothing is lost.");
  };
}
