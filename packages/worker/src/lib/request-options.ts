import { AppError } from "@agent-ops/shared/errors";
import { z } from "zod";
import { type ChatOptions, chatOptions } from "./chat-command.ts";

const NAMES = ["approvals", "onDisconnect", "channelId", "events"] as const;

/** Options from the query, else from `x-agent-ops-*` headers, else from fields of the body. */
export function readChatOptions(request: Request, body: Record<string, unknown> = {}): ChatOptions {
  const query = new URL(request.url).searchParams;
  const found = NAMES.map((name) => {
    const header = `x-agent-ops-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return [name, query.get(name) ?? request.headers.get(header) ?? body[name]] as const;
  });
  const given = Object.fromEntries(found.filter(([, value]) => value !== undefined && value !== null));
  const parsed = chatOptions.safeParse(given);
  if (!parsed.success) throw new AppError("bad_request", z.prettifyError(parsed.error));
  return parsed.data;
}
