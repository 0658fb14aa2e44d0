import { AppError } from "@agent-ops/shared/errors";
import type { PromptInput } from "@agent-ops/shared/frames";
import { LIMITS } from "@agent-ops/shared/limits";
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
  if (input.attachments?.some(({ url }) => !url.startsWith("data:"))) {
    throw new AppError("bad_request", "Files must come as data URLs; other addresses are not fetched.");
  }
  const files = (input.attachments ?? []).reduce((total, { url }) => total + url.length, 0);
  if (files > LIMITS.attachmentBytes) {
    throw new AppError("too_large", `The files of a prompt have at most ${LIMITS.attachmentBytes} bytes as data URLs.`);
  }
}
