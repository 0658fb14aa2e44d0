import { AppError } from "@agent-ops/shared/errors";
import { LIMITS } from "@agent-ops/shared/limits";
import type { Role } from "@agent-ops/shared/sessions";
import { auditEvent } from "./audit.ts";
import type { ChildNews, FamilyNews } from "./child-news.ts";
import type { Journal } from "./journal.ts";
import type { RoomPorts } from "./room-ports.ts";
import type { Member, SessionRecord, SessionStore } from "./session-store.ts";

type Tools = { ports: RoomPorts; store: SessionStore; journal: Journal; news: ChildNews; record(): SessionRecord };

/** ACL7: who is a member of the session, in which role. */
export class Membership {
  #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  share(user: string, member: Member): Member[] {
    const { store, journal, news } = this.#tools;
    this.requireShareable();
    this.#keepAnOwner(member.user, member.role);
    if (!store.roleOf(member.user) && store.members().length >= LIMITS.members) {
      throw new AppError("too_many", `A session has at most ${LIMITS.members} members.`);
    }
    const act = { userId: user, action: "share", detail: `${member.user}: ${member.role}` };
    journal.appendStored([this.#audit(act)], () => {
      store.saveMember(member.user, member.role);
      news.note(member.user);
    });
    const message = `${user} shared this session with ${member.user} as ${member.role}.`;
    journal.readers.tell({ type: "toast", level: "info", message });
    this.#tools.ports.changed("person");
    return store.members();
  }

  unshare(user: string, member: string): void {
    const { store, journal, news } = this.#tools;
    if (!store.roleOf(member)) throw new AppError("not_found", "That person is no member.");
    this.#keepAnOwner(member, undefined);
    journal.appendStored([this.#audit({ userId: user, action: "unshare", detail: member })], () => {
      store.removeMember(member);
      news.note(member);
    });
    this.#tools.ports.changed("person");
  }

  /**
   * LIFE4: what became of members of the parent holds here too, unless this session has its own word on them. Whose
   * role changed by it; news that are older than what is known change nothing.
   */
  follow({ version, members }: FamilyNews): FamilyNews["members"] {
    const { ports, store } = this.#tools;
    if (version < store.parentVersion()) return [];
    const changed = ports.storage.transaction(() => {
      store.saveParentVersion(version);
      return members.filter(({ user, role }) => this.#inherit(user, role));
    });
    if (changed.length > 0) ports.changed("person");
    return changed;
  }

  /** What the parent's members are says of those that were taken over from it. */
  asNews({ version, members }: FamilyNews): FamilyNews {
    const present = new Set(members.map(({ user }) => user));
    const gone = this.#tools.store.inherited().filter((user) => !present.has(user));
    return { version, members: [...members, ...gone.map((user) => ({ user }))] };
  }

  #inherit(user: string, role: Role | undefined): boolean {
    const { store, news } = this.#tools;
    if (store.roleOf(user) === role || !store.inherits(user) || !this.#hasOwnerWith(user, role)) return false;
    if (role) store.saveMember(user, role, "inherited");
    else store.removeMember(user);
    news.note(user);
    return true;
  }

  /** LIFE3 */
  requireShareable(): void {
    if (!this.#tools.record().orchestrator) return;
    throw new AppError("forbidden", "An orchestrator session is its owner's alone: it cannot be shared.");
  }

  #keepAnOwner(user: string, next: Role | undefined): void {
    if (this.#hasOwnerWith(user, next)) return;
    throw new AppError("conflict", "A session needs an owner. Make somebody else owner first.");
  }

  #hasOwnerWith(user: string, next: Role | undefined): boolean {
    const owners = this.#tools.store.members().filter(({ role }) => role === "owner");
    return next === "owner" || owners.some((owner) => owner.user !== user);
  }

  #audit(act: Parameters<typeof auditEvent>[1]) {
    return auditEvent(this.#tools.ports.clock.now(), act);
  }
}
