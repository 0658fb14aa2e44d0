import { useEffect } from "react";
import { Button, IconButton } from "./ui/button.tsx";

type WelcomeProps = { creating: boolean; onNew: () => void; onMenu: () => void };

export function Welcome({ creating, onNew, onMenu }: WelcomeProps) {
  useEffect(() => {
    document.title = "Agent Ops";
  }, []);
  return (
    <>
      <header className="flex h-14 items-center px-2 md:hidden">
        <IconButton icon="menu" label="Show the sessions" onClick={onMenu} />
      </header>
      <div className="m-auto max-w-md space-y-5 px-6 py-10 text-center">
        <img src="/favicon.svg" alt="" className="mx-auto size-12" />
        <h1 className="text-2xl font-semibold tracking-tight text-balance">Start a session with an agent</h1>
        <p className="text-pretty text-ink-muted">
          A session keeps going when you close this page, and looks the same to everyone in it. The demo agent is built
          in and needs no key.
        </p>
        <Button look="primary" icon="plus" className="h-10 px-5" disabled={creating} onClick={onNew}>
          Start a session
        </Button>
      </div>
    </>
  );
}
