import { AppError } from "@agent-ops/shared/errors";
import { z } from "zod";
import { type ChatOptions, chatOptions } from "./chat-command.ts";

const NAMES = ["approvals", "onDisconnect", "channelId", "events"] as const;

/** Options from the query, else from fields of the body, else from `x-agent-ops-*` headers. */
export function readChatOptions(request: Request, body: Record<string, unknown> = {}): ChatOptions {
  const query = Object.fromEntries(new URL(request.url).searchParams);
  return optionsFrom((name) => request.headers.get(name) ?? undefined, { ...body, ...query });
}

export function optionsFrom(
  header: (name: string) => string | undefined,
  fields: Record<string, unknown>,
): ChatOptions {
  const found = NAMES.map((name) => {
    const dashed = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return [name, fields[name] ?? header(`x-agent-ops-${dashed}`)] as const;
  });
  const given = Object.fromEntries(found.filter(([, value]) => value !== undefined));
  const parsed = chatOptions.safeParse(given);
  if (!parsed.success) throw new AppError("bad_request", z.prettifyError(parsed.error));
  return parsed.data;
}
