import type { UserPresence } from "@agent-ops/shared/events";
import { Avatar } from "../ui/avatar.tsx";

const SHOWN = 4;

export function Presence({ people }: { people: readonly UserPresence[] }) {
  if (people.length === 0) return null;
  const names = people.map((person) => person.userId).join(", ");
  return (
    <ul aria-label={`Here now: ${names}`} data-testid="presence" className="flex -space-x-1.5">
      {people.slice(0, SHOWN).map((person) => (
        <li key={person.userId} title={person.userId}>
          <Avatar name={person.userId} className="size-7 border-2 border-surface text-xs" />
          <span className="sr-only">{person.userId}</span>
        </li>
      ))}
      {people.length > SHOWN && (
        <li className="grid size-7 place-items-center rounded-full border-2 border-surface bg-raised text-2xs font-medium">
          +{people.length - SHOWN}
        </li>
      )}
    </ul>
  );
}
