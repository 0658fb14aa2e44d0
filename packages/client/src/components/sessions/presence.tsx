import type { UserPresence } from "@agent-ops/shared/events";

const SHOWN = 4;

export function Presence({ people }: { people: readonly UserPresence[] }) {
  if (people.length === 0) return null;
  const names = people.map((person) => person.userId).join(", ");
  return (
    <ul aria-label={`Here now: ${names}`} data-testid="presence" className="flex -space-x-1.5">
      {people.slice(0, SHOWN).map((person) => (
        <li
          key={person.userId}
          title={person.userId}
          className="grid size-7 place-items-center rounded-full border-2 border-surface bg-accent-soft text-xs font-semibold text-accent-strong uppercase"
        >
          <span aria-hidden="true">{person.userId.slice(0, 1)}</span>
          <span className="sr-only">{person.userId}</span>
        </li>
      ))}
      {people.length > SHOWN && (
        <li className="grid size-7 place-items-center rounded-full border-2 border-surface bg-raised text-xs">
          +{people.length - SHOWN}
        </li>
      )}
    </ul>
  );
}
