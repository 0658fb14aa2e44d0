import { AppError } from "@agent-ops/shared/errors";
import { LIMITS } from "@agent-ops/shared/limits";

/** What is read and thrown away of a body that is too large: a client that is cut off while it sends sees no answer. */
const DRAINED_BYTES = 64 * 1024 * 1024;

/** Reads a body, refusing more than `limit` bytes and what is no text. */
export async function readLimited(request: Request, limit: number = LIMITS.chatBodyBytes): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const bytes of piecesOf(request)) {
    size += bytes.byteLength;
    if (size > DRAINED_BYTES) break;
    if (size <= limit) pieces.push(bytes);
  }
  if (size > limit) throw new AppError("too_large", `The body has more than ${limit} bytes.`);
  return decode(pieces);
}

/** A client that leaves while it sends, or breaks its own framing, is no failure of ours. */
async function* piecesOf(request: Request): AsyncGenerator<Uint8Array> {
  try {
    yield* request.body ?? [];
  } catch {
    throw new AppError("bad_request", "The body broke off.");
  }
}

function decode(pieces: Uint8Array[]): string {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  try {
    return pieces.map((bytes) => decoder.decode(bytes, { stream: true })).join("") + decoder.decode();
  } catch {
    throw new AppError("bad_json", "The body is not UTF-8 text; compressed bodies are not read.");
  }
}
