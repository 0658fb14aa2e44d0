import { AppError } from "@agent-ops/shared/errors";
import { FIXED_TIMES } from "@agent-ops/shared/limits";
import type { Access } from "../../lib/access.ts";

type Holder = { access: Access; origin: string | null };

/** ACL4: tickets for sockets, good once and for a short time. They live in memory: a restart only costs a new one. */
export class Tickets {
  #issued = new Map<string, Holder & { expiresAt: number }>();

  issue(holder: Holder, now: number): string {
    this.#forget(now);
    const ticket = crypto.randomUUID();
    this.#issued.set(ticket, { ...holder, expiresAt: now + FIXED_TIMES.ticketMs });
    return ticket;
  }

  redeem(ticket: string | null, origin: string | null, now: number): Access {
    this.#forget(now);
    const holder = ticket === null ? undefined : this.#issued.get(ticket);
    if (!ticket || !holder) throw new AppError("unauthorized", "The ticket is unknown, used or expired.");
    if (holder.origin !== origin) throw new AppError("unauthorized", "The ticket belongs to another origin.");
    this.#issued.delete(ticket);
    return holder.access;
  }

  get size(): number {
    return this.#issued.size;
  }

  #forget(now: number): void {
    for (const [key, { expiresAt }] of this.#issued) if (expiresAt <= now) this.#issued.delete(key);
  }
}
