type Fields = Record<string, string | number | boolean | undefined>;

/** Structured lines about what happened. Ids and counts only: never prompt text, never a secret. */
export interface Log {
  info(event: string, fields?: Fields): void;
  error(event: string, fields?: Fields): void;
  /** The same log with these fields on every line. */
  with(fields: Fields): Log;
}

export function createLog(write: (line: string) => void, always: Fields = {}): Log {
  const line = (level: string) => (event: string, fields?: Fields) =>
    write(`${JSON.stringify({ ts: new Date().toISOString(), level, event, ...always, ...fields })}\n`);
  return {
    info: line("info"),
    error: line("error"),
    with: (fields) => createLog(write, { ...always, ...fields }),
  };
}

/** A failure's code or name says enough for a log; its message may quote what people wrote. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return "not an Error";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
