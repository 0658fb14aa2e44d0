import { goToSession } from "../../hooks/use-route.ts";
import { Button, IconButton } from "../ui/button.tsx";

export function NoAccess({ onMenu }: { onMenu: () => void }) {
  return (
    <>
      <header className="flex h-14 items-center px-2 md:hidden">
        <IconButton icon="menu" label="Show the sessions" onClick={onMenu} />
      </header>
      <div className="m-auto max-w-sm space-y-4 px-6 text-center">
        <h1 className="text-xl font-semibold">This session is not here</h1>
        <p className="text-ink-muted">It was deleted, or it is not shared with you.</p>
        <Button onClick={() => goToSession(undefined)}>Back to your sessions</Button>
      </div>
    </>
  );
}
