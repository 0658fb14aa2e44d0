import { AppError } from "@agent-ops/shared/errors";
import type { PromptInput } from "@agent-ops/shared/frames";
import { LIMITS } from "@agent-ops/shared/limits";
import type { FilePart } from "@agent-ops/shared/message-parts";
import { fitsIn } from "../../lib/utf8-length.ts";
import { isWellFormed } from "../../lib/well-formed.ts";

/** What a prompt has to be, whichever way it comes. */
export function checkPrompt(input: PromptInput): void {
  if (!isWellFormed(input)) throw new AppError("bad_request", "The prompt has half of a surrogate pair in it.");
  if (input.text.trim() === "" && !input.attachments?.length) {
    throw new AppError("empty_prompt", "The prompt is empty. Write something for the agent.");
  }
  if (input.text.length > LIMITS.promptChars) {
    throw new AppError("too_large", `A prompt has at most ${LIMITS.promptChars} characters.`);
  }
  checkChannel(input);
  checkFiles(input.attachments ?? []);
  if (fitsIn(LIMITS.promptBytes, JSON.stringify(input))) return;
  throw new AppError("too_large", `A prompt with its files has at most ${LIMITS.promptBytes} bytes as JSON.`);
}

function checkChannel({ channel }: PromptInput): void {
  const { id = "", type = "" } = channel ?? {};
  if (id.length <= LIMITS.channelChars && type.length <= LIMITS.channelChars) return;
  throw new AppError("too_large", `A channel's id and type have at most ${LIMITS.channelChars} characters.`);
}

/** SSE13 */
function checkFiles(files: readonly FilePart[]): void {
  if (files.some(({ url }) => !url.startsWith("data:"))) {
    throw new AppError("bad_request", "Files must come as data URLs; other addresses are not fetched.");
  }
  if (files.reduce((total, { url }) => total + url.length, 0) > LIMITS.attachmentBytes) {
    throw new AppError("too_large", `The files of a prompt have at most ${LIMITS.attachmentBytes} bytes as data URLs.`);
  }
  const { filenameChars, mediaTypeChars } = LIMITS;
  if (files.every((file) => (file.filename ?? "").length <= filenameChars && file.mediaType.length <= mediaTypeChars)) {
    return;
  }
  const limits = `${filenameChars} characters, its media type ${mediaTypeChars}`;
  throw new AppError("too_large", `The name of a file has at most ${limits}.`);
}
