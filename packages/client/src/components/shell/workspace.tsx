import { lazy, Suspense, useEffect, useState } from "react";
import { useMediaQuery } from "../../hooks/use-media-query.ts";
import { goTo, useRoute } from "../../hooks/use-route.ts";
import { useShortcut } from "../../hooks/use-shortcut.ts";
import { fresh } from "../../lib/fresh.ts";
import type { Route } from "../../lib/routes.ts";
import { sessionHref } from "../../lib/routes.ts";
import { setPreferences, usePreferences } from "../../stores/preferences-store.ts";
import { loadSessions } from "../../stores/sessions-store.ts";
import { Home } from "../home/home.tsx";
import { SessionPage } from "../sessions/session-page.tsx";
import { Sheet } from "../ui/overlays.tsx";
import { NotFound } from "./not-found.tsx";
import { Sidebar } from "./sidebar.tsx";

const Settings = lazy(fresh(() => import("../settings/settings.tsx").then((module) => ({ default: module.Settings }))));
const loadPalette = fresh(() => import("../palette/palette.tsx").then((module) => ({ default: module.Palette })));
const Palette = lazy(loadPalette);
const NewSession = lazy(
  fresh(() => import("../home/new-session.tsx").then((module) => ({ default: module.NewSession }))),
);

const REFRESH_MS = 15_000;
type Dialog = "palette" | "new-session" | undefined;

/** The signed-in page: sessions on the left, the chosen one beside them. On a phone the list slides over it. */
export function Workspace({ user }: { user: string }) {
  const route = useRoute();
  const { place, show, leave } = useSidebarPlace();
  const [dialog, setDialog] = useState<Dialog>();
  useFreshSessions();
  useShortcut(
    "k",
    () => setDialog((open) => (open === "palette" ? undefined : "palette")),
    () => void loadPalette(),
  );
  const created = (id: string) => {
    setDialog(undefined);
    leave();
    goTo(sessionHref(id));
  };
  const sidebar = (
    <Sidebar
      user={user}
      selected={route.kind === "session" ? route.sessionId : undefined}
      onNew={() => setDialog("new-session")}
      onSearch={() => setDialog("palette")}
      onLeave={leave}
    />
  );
  return (
    <div data-sidebar={place === "beside" ? "shown" : "hidden"} className="group/shell flex h-dvh">
      {place === "beside" && (
        <aside aria-label="Sidebar" className="flex w-66 shrink-0 flex-col">
          {sidebar}
        </aside>
      )}
      <Sheet open={place === "over"} onClose={leave} title="Sessions" side="left">
        {sidebar}
      </Sheet>
      <main className="flex min-w-0 flex-1 flex-col overflow-hidden bg-surface md:my-2 md:mr-2 md:rounded-xl md:border md:border-line md:shadow-low md:group-data-[sidebar=hidden]/shell:ml-2">
        <Page route={route} onMenu={show} onNew={() => setDialog("new-session")} />
      </main>
      <Suspense fallback={null}>
        {dialog === "palette" && (
          <Palette onClose={() => setDialog(undefined)} onNew={() => setDialog("new-session")} />
        )}
        {dialog === "new-session" && <NewSession onClose={() => setDialog(undefined)} onCreated={created} />}
      </Suspense>
    </div>
  );
}

/** Where the sessions are: beside the page, over it, or out of the way. */
function useSidebarPlace() {
  const wide = useMediaQuery("(min-width: 48rem)");
  const hidden = usePreferences((state) => state.sidebarHidden);
  const [over, setOver] = useState(false);
  const show = () => (wide ? setPreferences({ sidebarHidden: false }) : setOver(true));
  useShortcut("b", () => (wide ? setPreferences({ sidebarHidden: !hidden }) : setOver(!over)));
  const place = wide ? (hidden ? "away" : "beside") : over ? "over" : "away";
  return { place, show, leave: () => setOver(false) } as const;
}

type PageProps = { route: Route; onMenu: () => void; onNew: () => void };

function Page({ route, onMenu, onNew }: PageProps) {
  switch (route.kind) {
    case "home":
      return <Home onMenu={onMenu} onNew={onNew} />;
    case "session":
      return <SessionPage key={route.sessionId} sessionId={route.sessionId} panel={route.panel} onMenu={onMenu} />;
    case "settings":
      return (
        <Suspense fallback={null}>
          <Settings onMenu={onMenu} />
        </Suspense>
      );
    case "demo":
    case "unknown":
      return <NotFound onMenu={onMenu} />;
    default:
      return route satisfies never;
  }
}

/** The list is read again now and then, and when somebody comes back to the tab. */
function useFreshSessions(): void {
  useEffect(() => {
    const refresh = () => {
      if (document.visibilityState === "visible") void loadSessions();
    };
    refresh();
    const timer = setInterval(refresh, REFRESH_MS);
    document.addEventListener("visibilitychange", refresh);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", refresh);
    };
  }, []);
}
