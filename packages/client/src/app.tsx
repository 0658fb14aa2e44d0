import { lazy, Suspense } from "react";
import { Workspace } from "./components/shell/workspace.tsx";
import { SignIn } from "./components/sign-in.tsx";
import { HintLayer } from "./components/ui/hint-layer.tsx";
import { Spinner } from "./components/ui/spinner.tsx";
import { Toaster } from "./components/ui/toaster.tsx";
import { useRoute } from "./hooks/use-route.ts";
import { fresh } from "./lib/fresh.ts";
import { useAuth } from "./stores/auth-store.ts";

/** Pages that need no server and nobody signed in: each is a module of `demo` whose default is the page. */
const demos = import.meta.glob<{ default: () => React.ReactNode }>("./demo/*-page.tsx");
const loadDemo = demos["./demo/in-process-page.tsx"];
const Demo = loadDemo && lazy(fresh(loadDemo));

export function App() {
  const route = useRoute();
  if (route.kind !== "demo" || !Demo) return <SignedIn />;
  return (
    <Suspense fallback={null}>
      <Demo />
      <Toaster />
      <HintLayer />
    </Suspense>
  );
}

function SignedIn() {
  const auth = useAuth((state) => state.auth);
  switch (auth.kind) {
    case "signing-in":
      return (
        <p role="status" className="flex min-h-dvh items-center justify-center gap-2.5 text-sm text-ink-muted">
          <Spinner /> Signing in…
        </p>
      );
    case "signed-out":
      return <SignIn reason={auth.reason} />;
    case "signed-in":
      return (
        <>
          <Workspace key={auth.user} user={auth.user} />
          <Toaster />
          <HintLayer />
        </>
      );
    default:
      return auth satisfies never;
  }
}
