import { type FormEvent, useState } from "react";
import { describeError } from "../lib/api-error.ts";
import { type Auth, enterToken } from "../stores/auth-store.ts";
import { useSettings } from "../stores/settings-store.ts";
import { Button } from "./ui/button.tsx";
import { CopyButton } from "./ui/copy-button.tsx";
import { Field, Input } from "./ui/field.tsx";

type Reason = Extract<Auth, { kind: "signed-out" }>["reason"];

const COMMAND = "npm run -s agent-ops -- link --user NAME";

export function SignIn({ reason }: { reason: Reason }) {
  const way = useSettings(({ signIn }) => signIn);
  return (
    <main className="grid min-h-dvh place-items-center px-5 py-10">
      <div className="rise w-full max-w-md space-y-6 rounded-2xl border border-line bg-surface p-7 shadow-high sm:p-9">
        <img src="/favicon.svg" alt="" className="size-11" />
        <div className="space-y-1.5">
          <h1 className="text-xl font-semibold tracking-tight">Sign in to Agent Ops</h1>
          <p className="text-ink-soft">{sentenceFor(reason, way)}</p>
        </div>
        {way === "token" ? <ByToken /> : <ByLink />}
      </div>
    </main>
  );
}

function ByLink() {
  return (
    <div className="space-y-2">
      <p className="text-sm text-ink-muted">Get a fresh sign-in link where the server runs, then open it here:</p>
      <div className="flex items-center gap-2 rounded-xl border border-line bg-raised py-1.5 pr-1.5 pl-3.5">
        <code className="min-w-0 flex-1 font-mono text-code wrap-anywhere">{COMMAND}</code>
        <CopyButton text={COMMAND} label="Copy the command" />
      </div>
    </div>
  );
}

/** ACL13 */
function ByToken() {
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const token = String(new FormData(event.currentTarget).get("token")).trim();
    if (token === "") return;
    setBusy(true);
    setProblem(undefined);
    await enterToken(token).catch((error: unknown) => {
      setProblem(describeError(error));
      setBusy(false);
    });
  };
  return (
    <form onSubmit={(event) => void submit(event)} className="space-y-4">
      <Field label="Access token" hint="A JWT of your identity provider, or an API token. It stays in this browser.">
        {(ids) => (
          <Input
            {...ids}
            name="token"
            type="password"
            required
            autoComplete="off"
            spellCheck={false}
            className="font-mono"
          />
        )}
      </Field>
      {problem !== undefined && (
        <p role="alert" className="text-sm text-bad">
          {problem}
        </p>
      )}
      <Button type="submit" look="primary" disabled={busy}>
        Sign in
      </Button>
    </form>
  );
}

function sentenceFor(reason: Reason, way: "link" | "token"): string {
  switch (reason) {
    case "first-visit":
      return way === "link"
        ? "You come in by a link that works once."
        : "Your organisation’s identity provider says who you are: paste an access token that it gave you.";
    case "used-link":
      return way === "link" ? "This sign-in link was already used, or is too old." : "Sign-in links are off here.";
    case "expired":
      return "You were signed out because your sign-in expired.";
    case "left":
      return "You are signed out.";
    default:
      return `Signing in did not work: ${reason.failed}`;
  }
}
