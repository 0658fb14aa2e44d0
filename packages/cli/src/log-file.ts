import { appendFileSync } from "node:fs";

/**
 * Lines of the processes below us: all of them in a file, and on the terminal what is not routine. Structured lines say
 * how grave they are; anything else was written by a runtime and matters.
 */
export function logTo(file: string): (line: string) => void {
  return (line) => {
    appendFileSync(file, `${line}\n`);
    if (!/^\{.*"level":"(?:debug|info)"/.test(line)) console.error(line);
  };
}
