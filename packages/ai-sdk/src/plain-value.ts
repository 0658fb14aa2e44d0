/**
 * A value as JSON would carry it, so that a client can copy and store it and the runtime may go on changing its own.
 * What JSON cannot hold is told as text.
 */
export function plainValue(value: unknown): unknown {
  if (typeof value === "string" || typeof value === "boolean") return value;
  try {
    return JSON.parse(JSON.stringify(value, withoutBigInts) ?? "null");
  } catch {
    return Object.prototype.toString.call(value); // a circle, or a `toJSON` that throws
  }
}

function withoutBigInts(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
