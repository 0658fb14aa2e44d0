import { useEffect, useState } from "react";
import { goToSession, useSessionRoute } from "../hooks/use-route.ts";
import { createSession, loadSessions, useSessions } from "../stores/sessions-store.ts";
import { SessionPage } from "./sessions/session-page.tsx";
import { Sidebar } from "./sessions/sidebar.tsx";
import { Welcome } from "./welcome.tsx";

/** The signed-in page: sessions on the left, the chosen one beside them. On a phone the list slides over it. */
export function Workspace({ user }: { user: string }) {
  const selected = useSessionRoute();
  const creating = useSessions((state) => state.creating);
  const [menu, setMenu] = useState(false);
  useEffect(() => void loadSessions(), []);

  const create = async () => {
    const session = await createSession();
    if (!session) return;
    setMenu(false);
    goToSession(session.id);
  };
  return (
    <div className="flex h-dvh">
      {menu && (
        <button
          type="button"
          aria-label="Hide the sessions"
          className="fixed inset-0 z-20 bg-black/40 md:hidden"
          onClick={() => setMenu(false)}
        />
      )}
      <aside
        className={`z-30 w-68 shrink-0 border-r border-line bg-canvas max-md:fixed max-md:inset-y-0 max-md:left-0 max-md:shadow-xl ${menu ? "" : "max-md:hidden"}`}
      >
        <Sidebar user={user} selected={selected} onNew={() => void create()} onClose={() => setMenu(false)} />
      </aside>
      <main className="flex min-w-0 flex-1 flex-col bg-surface">
        {selected === undefined ? (
          <Welcome creating={creating} onNew={() => void create()} onMenu={() => setMenu(true)} />
        ) : (
          <SessionPage key={selected} sessionId={selected} onMenu={() => setMenu(true)} />
        )}
      </main>
    </div>
  );
}
