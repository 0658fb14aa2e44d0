import { AppError } from "@agent-ops/shared/errors";
import { LIMITS } from "@agent-ops/shared/limits";

/** What is read and thrown away of a body that is too large: a client that is cut off while it sends sees no answer. */
const DRAINED_BYTES = 64 * 1024 * 1024;

/** Reads a body, refusing more than `limit` bytes. */
export async function readLimited(request: Request, limit: number = LIMITS.chatBodyBytes): Promise<string> {
  const decoder = new TextDecoder();
  let size = 0;
  let text = "";
  for await (const bytes of request.body ?? []) {
    size += bytes.byteLength;
    if (size > DRAINED_BYTES) break;
    if (size <= limit) text += decoder.decode(bytes, { stream: true });
  }
  if (size > limit) throw new AppError("too_large", `The body has more than ${limit} bytes.`);
  return text + decoder.decode();
}
