import type { Auth } from "../stores/auth-store.ts";

type Reason = Extract<Auth, { kind: "signed-out" }>["reason"];

export function SignIn({ reason }: { reason: Reason }) {
  return (
    <main className="grid min-h-dvh place-items-center px-6">
      <div className="w-full max-w-md space-y-5">
        <img src="/favicon.svg" alt="" className="size-12" />
        <h1 className="text-2xl font-semibold tracking-tight">Sign in to Agent Ops</h1>
        <p className="text-ink-soft">{sentenceFor(reason)}</p>
        <div className="space-y-2">
          <p className="text-sm text-ink-muted">Get a fresh sign-in link where the server runs, then open it here:</p>
          <pre className="overflow-x-auto rounded-xl border border-line bg-surface px-4 py-3 font-mono text-sm">
            npm run -s agent-ops -- link --user NAME
          </pre>
        </div>
      </div>
    </main>
  );
}

function sentenceFor(reason: Reason): string {
  switch (reason) {
    case "first-visit":
      return "You come in by a link that works once.";
    case "used-link":
      return "This sign-in link was already used, or is too old.";
    case "expired":
      return "You were signed out because your sign-in expired.";
    case "left":
      return "You are signed out.";
    default:
      return `Signing in did not work: ${reason.failed}`;
  }
}
