type Fields = Record<string, string | number | boolean | undefined>;

/** Structured lines for operators: ids and facts, never prompt text or secrets. */
export function logWarning(message: string, fields: Fields = {}): void {
  console.warn(JSON.stringify({ level: "warn", message, ...fields }));
}

export function logError(message: string, error: unknown, fields: Fields = {}): void {
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  console.error(JSON.stringify({ level: "error", message, ...fields, detail }));
}
