import { type Role, role as roleSchema } from "@agent-ops/shared/sessions";
import { UserMinus, UserPlus } from "lucide-react";
import { type FormEvent, useCallback, useEffect, useState } from "react";
import { type Chat, useSession } from "../../hooks/use-chat.ts";
import { describeError } from "../../lib/api-error.ts";
import type { Member } from "../../lib/api-schemas.ts";
import { useAuth } from "../../stores/auth-store.ts";
import { api } from "../../stores/services.ts";
import { addToast } from "../../stores/toast-store.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { Choice, Input } from "../ui/field.tsx";

const ROLES: Record<Role, string> = { owner: "Owner", collaborator: "Can write", viewer: "Can read" };
const complain = (error: unknown) => addToast("error", describeError(error));

/** Who may do what here, and who is here now. */
export function PeopleTab({ chat }: { chat: Chat }) {
  const { sessionId } = chat;
  const owner = useSession(chat, ({ state }) => state.session?.role === "owner");
  const people = useSession(chat, ({ state }) => state.people);
  const shares = useSession(chat, ({ state }) => state.audit.filter(({ action }) => /share/.test(action)).length);
  const [members, setMembers] = useState<Member[]>([]);
  const load = useCallback(() => api.members(sessionId).then(setMembers, complain), [sessionId]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever shares, the list is read again
  useEffect(() => void load(), [load, shares]);
  const share = (user: string, role: Role) => api.share(sessionId, user, role).then(load, complain);
  const unshare = (user: string) => api.unshare(sessionId, user).then(load, complain);
  const here = new Set(people.map(({ userId }) => userId));
  return (
    <div className="space-y-5 p-4">
      {owner && <Invite onShare={share} />}
      <ul className="space-y-1" aria-label="Members">
        {members.map((member) => (
          <MemberRow
            key={member.user}
            member={member}
            here={here.has(member.user)}
            canChange={owner}
            onRole={(role) => void share(member.user, role)}
            onRemove={() => void unshare(member.user)}
          />
        ))}
      </ul>
    </div>
  );
}

function Invite({ onShare }: { onShare: (user: string, role: Role) => Promise<void> }) {
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const data = new FormData(form);
    await onShare(String(data.get("user")).trim(), roleSchema.parse(data.get("role")));
    form.reset();
  };
  return (
    <form onSubmit={(event) => void submit(event)} className="space-y-2">
      <h2 className="text-sm font-medium">Share this session</h2>
      <div className="flex gap-2">
        <Input
          name="user"
          aria-label="Name of the person"
          placeholder="Name"
          required
          autoComplete="off"
          className="flex-1"
        />
        <Choice name="role" aria-label="What they may do" defaultValue="collaborator" className="w-30">
          {Object.entries(ROLES).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Choice>
      </div>
      <Button type="submit" look="primary" icon={UserPlus} className="w-full">
        Share
      </Button>
    </form>
  );
}

type MemberRowProps = {
  member: Member;
  here: boolean;
  canChange: boolean;
  onRole: (role: Role) => void;
  onRemove: () => void;
};

function MemberRow({ member: { user, role }, here, canChange, onRole, onRemove }: MemberRowProps) {
  const me = useAuth(({ auth }) => auth.kind === "signed-in" && auth.user === user);
  return (
    <li data-testid="member" className="flex h-11 items-center gap-3 rounded-lg px-1">
      <span className="relative">
        <Avatar name={user} className="size-7.5 text-xs" />
        {here && (
          <span
            title="Here now"
            className="absolute -right-0.5 -bottom-0.5 size-2.5 rounded-full border-2 border-surface bg-good"
          >
            <span className="sr-only">Here now</span>
          </span>
        )}
      </span>
      <span className="min-w-0 flex-1 truncate text-sm font-medium">
        {user}
        {me && <span className="font-normal text-ink-muted"> (you)</span>}
      </span>
      {canChange && !me ? (
        <>
          <Choice
            aria-label={`What ${user} may do`}
            value={role}
            onChange={(event) => onRole(roleSchema.parse(event.target.value))}
            className="w-28"
          >
            {Object.entries(ROLES).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Choice>
          <IconButton icon={UserMinus} label={`Remove ${user}`} onClick={onRemove} />
        </>
      ) : (
        <span className="text-xs text-ink-muted">{ROLES[role]}</span>
      )}
    </li>
  );
}
