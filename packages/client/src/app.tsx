import { SignIn } from "./components/sign-in.tsx";
import { Workspace } from "./components/workspace.tsx";
import { useAuth } from "./stores/auth-store.ts";

export function App() {
  const auth = useAuth((state) => state.auth);
  switch (auth.kind) {
    case "signing-in":
      return <p className="grid min-h-dvh place-items-center text-ink-muted">Signing in…</p>;
    case "signed-out":
      return <SignIn reason={auth.reason} />;
    case "signed-in":
      return <Workspace key={auth.user} user={auth.user} />;
    default:
      return auth satisfies never;
  }
}
