import { agentOptions } from "@agent-ops/shared/agent-options";
import { AppError } from "@agent-ops/shared/errors";
import { isPermission } from "@agent-ops/shared/questions";
import type { Role } from "@agent-ops/shared/sessions";
import type { Access, Widget } from "../../lib/access.ts";
import type { ChatCommand } from "../../lib/chat-command.ts";
import type { SessionStore } from "./session-store.ts";

const OPTIONS = agentOptions.keyof().options;

type House = { store: SessionStore; sessionId: string; now(): number };

/** Who may be in the session at this moment, and what a visitor may do there. */
export class Doorkeeper {
  #house: House;
  #revoked = new Set<string>();

  constructor(house: House) {
    this.#house = house;
  }

  /** ACL2, ACL9: asked at every act, since a right may have ended while a socket was open or a request was waiting. */
  roleOf(by: Access): Role {
    if (by.expiresAt <= this.#house.now()) throw new AppError("unauthorized", "Your sign-in has expired.");
    if (by.tokenId && this.#revoked.has(by.tokenId)) throw new AppError("unauthorized", "The API token was revoked.");
    const role = by.widget ? this.#visitorRole(by.widget) : this.#house.store.roleOf(by.user);
    if (!role) throw new AppError("not_found", "There is no such session.");
    return role;
  }

  /** A request that was let in before the token was revoked may still be on its way. */
  revoke(tokenId: string): void {
    this.#revoked.add(tokenId);
  }

  /** ACL11: a visitor stops what they asked for. */
  requireOwnTurn({ widget, user }: Access, turnId: string | undefined): void {
    if (!widget || turnId === undefined) return;
    if (this.#house.store.turns.get(turnId)?.prompt.userId === user) return;
    throw new AppError("forbidden", "A visitor can stop only what they asked for.");
  }

  /** ACL11: a visitor approves nothing. */
  requireAnswerer({ widget }: Access, questionId: string): void {
    const asked = widget && this.#house.store.questions.get(questionId);
    if (!asked || !isPermission(asked.question)) return;
    throw new AppError("forbidden", "A visitor cannot approve anything. A member of the session has to.");
  }

  /** ACL11: a visitor asks, and leaves the history and the agent as they are. */
  requireChatter({ widget }: Access, command: ChatCommand): void {
    if (!widget) return;
    if (command.kind !== "prompt" || command.edits) {
      throw new AppError("forbidden", "A visitor can only ask; approving, editing and repeating are for members.");
    }
    const { prompt, apiKey } = command;
    const chosen = OPTIONS.filter((name) => prompt[name] !== undefined);
    if (chosen.length === 0 && apiKey === undefined) return;
    throw new AppError("forbidden", "A visitor does not choose how the agent works.");
  }

  /** A visitor is there for as long as whoever let them in is an owner. */
  #visitorRole({ sessionId, by }: Widget): Role | undefined {
    const { store, sessionId: own } = this.#house;
    return sessionId === own && store.roleOf(by) === "owner" ? "collaborator" : undefined;
  }
}
