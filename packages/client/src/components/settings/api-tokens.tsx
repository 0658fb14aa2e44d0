import { KeyRound, Trash2 } from "lucide-react";
import { type FormEvent, useCallback, useEffect, useState } from "react";
import { describeError } from "../../lib/api-error.ts";
import type { ApiToken } from "../../lib/api-schemas.ts";
import { formatDay } from "../../lib/times.ts";
import { api } from "../../stores/services.ts";
import { addToast } from "../../stores/toast-store.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Choice, Input } from "../ui/field.tsx";
import { SettingsSection } from "./settings-section.tsx";

const complain = (error: unknown) => addToast("error", describeError(error));

export function ApiTokens() {
  const [tokens, setTokens] = useState<ApiToken[]>();
  const [fresh, setFresh] = useState<string>();
  const load = useCallback(() => api.listTokens().then(setTokens, complain), []);
  useEffect(() => void load(), [load]);
  const create = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const data = new FormData(form);
    try {
      const made = await api.createToken(String(data.get("name")), Number(data.get("days")));
      setFresh(made.token);
      form.reset();
      await load();
    } catch (error) {
      complain(error);
    }
  };
  const revoke = (id: string) => api.revokeToken(id).then(load, complain);
  return (
    <SettingsSection title="API tokens" text="For programs that speak for you. A token is shown once.">
      <form onSubmit={(event) => void create(event)} className="flex flex-wrap gap-2">
        <Input
          name="name"
          aria-label="Name of the token"
          placeholder="What it is for"
          required
          className="flex-1 basis-40"
        />
        <Choice name="days" aria-label="How long it is good" defaultValue="90" className="w-32">
          <option value="7">7 days</option>
          <option value="30">30 days</option>
          <option value="90">90 days</option>
          <option value="365">1 year</option>
        </Choice>
        <Button type="submit" look="primary">
          Create
        </Button>
      </form>
      {fresh !== undefined && <FreshToken token={fresh} />}
      <TokenList tokens={tokens ?? []} onRevoke={(id) => void revoke(id)} />
    </SettingsSection>
  );
}

function TokenList({ tokens, onRevoke }: { tokens: readonly ApiToken[]; onRevoke: (id: string) => void }) {
  if (tokens.length === 0) return null;
  return (
    <ul className="divide-y divide-line rounded-xl border border-line">
      {tokens.map((token) => (
        <li key={token.id} className="flex items-center gap-3 py-2 pr-2 pl-3.5">
          <KeyRound aria-hidden="true" className="size-4 text-ink-muted" />
          <div className="min-w-0 flex-1">
            <p className="truncate text-sm font-medium">{token.name}</p>
            <p className="text-xs text-ink-muted">Good until {formatDay(token.expiresAt)}</p>
          </div>
          <IconButton icon={Trash2} label={`Revoke ${token.name}`} onClick={() => onRevoke(token.id)} />
        </li>
      ))}
    </ul>
  );
}

function FreshToken({ token }: { token: string }) {
  return (
    <div role="status" className="space-y-1.5 rounded-xl border border-accent-line bg-accent-soft px-3.5 py-3">
      <p className="text-sm font-medium">Copy the token now: it is not shown again.</p>
      <div className="flex items-center gap-2">
        <code data-testid="fresh-token" className="min-w-0 flex-1 truncate font-mono text-xs">
          {token}
        </code>
        <CopyButton text={token} label="Copy the token" />
      </div>
    </div>
  );
}
