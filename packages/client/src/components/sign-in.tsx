import type { Auth } from "../stores/auth-store.ts";
import { CopyButton } from "./ui/copy-button.tsx";

type Reason = Extract<Auth, { kind: "signed-out" }>["reason"];

const COMMAND = "npm run -s agent-ops -- link --user NAME";

export function SignIn({ reason }: { reason: Reason }) {
  return (
    <main className="grid min-h-dvh place-items-center px-5 py-10">
      <div className="rise w-full max-w-md space-y-6 rounded-2xl border border-line bg-surface p-7 shadow-high sm:p-9">
        <img src="/favicon.svg" alt="" className="size-11" />
        <div className="space-y-1.5">
          <h1 className="text-xl font-semibold tracking-tight">Sign in to Agent Ops</h1>
          <p className="text-ink-soft">{sentenceFor(reason)}</p>
        </div>
        <div className="space-y-2">
          <p className="text-sm text-ink-muted">Get a fresh sign-in link where the server runs, then open it here:</p>
          <div className="flex items-center gap-2 rounded-xl border border-line bg-raised py-1.5 pr-1.5 pl-3.5">
            <code className="min-w-0 flex-1 font-mono text-code wrap-anywhere">{COMMAND}</code>
            <CopyButton text={COMMAND} label="Copy the command" />
          </div>
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
