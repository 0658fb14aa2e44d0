import { AppError, toErrorBody } from "@agent-ops/shared/errors";
import { type ClientCommand, clientCommand, parseJsonFrame } from "@agent-ops/shared/frames";
import { LIMITS } from "@agent-ops/shared/limits";
import type { Role } from "@agent-ops/shared/sessions";
import { z } from "zod";
import type { Access } from "../../lib/access.ts";
import { isDeeperThan, LEVELS } from "../../lib/levels.ts";
import { logError } from "../../lib/log.ts";
import { fitsIn } from "../../lib/utf8-length.ts";
import { isWellFormed } from "../../lib/well-formed.ts";
import type { SessionRoom } from "./session-room.ts";
import type { ReaderSocket } from "./socket-readers.ts";

type Caller = { socket: ReaderSocket; by: Access };

/** A frame from a V2 reader. Whatever is wrong with it is said, and the socket stays up. */
export function onClientFrame(room: SessionRoom, caller: Caller, frame: string): void {
  const commands = fitsIn(LIMITS.frameBytes, frame) ? parseJsonFrame(frame) : undefined;
  if (!commands) {
    const message = `A frame is JSON of at most ${LIMITS.frameBytes} bytes.`;
    room.journal.readers.tell({ type: "error", code: "bad_json", message }, caller.socket);
    return;
  }
  if (commands.length > LIMITS.frameCommands) {
    const message = `A frame has at most ${LIMITS.frameCommands} commands. Nothing of this one was done.`;
    room.journal.readers.tell({ type: "error", code: "too_many", message }, caller.socket);
    return;
  }
  for (const command of commands) tryCommand(room, caller, command);
}

function tryCommand(room: SessionRoom, caller: Caller, raw: unknown): void {
  try {
    if (isDeeperThan(raw, LEVELS)) throw new AppError("bad_request", `A command has at most ${LEVELS} levels.`);
    if (!isWellFormed(raw)) throw new AppError("bad_request", "The command has half of a surrogate pair in it.");
    const parsed = clientCommand.safeParse(raw);
    if (!parsed.success) throw new AppError("bad_request", z.prettifyError(parsed.error));
    onCommand(room, caller, parsed.data);
  } catch (error) {
    if (!(error instanceof AppError)) logError("client command failed", error, { sessionId: room.record.id });
    room.journal.readers.tell({ type: "error", ...toErrorBody(error), ...reference(raw) }, caller.socket);
  }
}

function onCommand(room: SessionRoom, { socket, by }: Caller, command: ClientCommand): void {
  const { user } = by;
  const role = room.door.roleOf(by);
  if (command.type !== "ack" && command.type !== "ping") room.turnstile.act(by);
  switch (command.type) {
    case "prompt": {
      requireRole(role, "collaborator");
      const { type: _, apiKey, ...input } = command;
      const { turnId, queued } = room.prompt(user, input, { apiKey });
      return room.journal.readers.tell({ type: "accepted", promptId: input.id, turnId, queued }, socket);
    }
    case "abort":
      requireRole(role, "collaborator");
      return room.abort(user, command.turnId);
    case "answer":
      requireRole(role, "collaborator");
      return void room.answer(user, command.questionId, command.answer);
    case "withdraw":
      requireRole(role, "collaborator");
      return room.withdraw(user, command.promptId);
    case "set-title":
      requireRole(role, "owner");
      return room.rename(user, command.title);
    case "diff":
      return room.inspect(user, "diff", { requestId: command.requestId, socket });
    case "review":
      requireRole(role, "collaborator");
      return room.inspect(user, "review", { requestId: command.requestId, socket });
    case "ack":
      return room.journal.readers.acknowledge(socket, command.seq);
    case "ping":
      return room.journal.readers.tell({ type: "pong" }, socket);
    default:
      return command satisfies never;
  }
}

const RANK: Record<Role, number> = { viewer: 0, collaborator: 1, owner: 2 };

/** ACL6 */
export function requireRole(role: Role, least: Role): void {
  if (RANK[role] < RANK[least]) throw new AppError("forbidden", `This needs the role ${least}; you are ${role}.`);
}

const named = z
  .object({ id: z.string() })
  .or(z.object({ questionId: z.string() }))
  .or(z.object({ type: z.string() }));

/** What an error is about: the prompt, the question or the kind of command. */
function reference(raw: unknown): { re?: string } {
  const about = named.safeParse(raw).data;
  if (!about) return {};
  return { re: "id" in about ? about.id : "questionId" in about ? about.questionId : about.type };
}
