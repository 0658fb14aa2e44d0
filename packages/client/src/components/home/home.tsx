import type { SessionView } from "@agent-ops/shared/sessions";
import { ArrowRight, Bot, ChevronsUpDown, SlidersHorizontal } from "lucide-react";
import { useMemo, useRef } from "react";
import { useAgents } from "../../hooks/use-agents.ts";
import { useComposerFocus } from "../../hooks/use-composer-focus.ts";
import { goTo } from "../../hooks/use-route.ts";
import { sessionHref } from "../../lib/routes.ts";
import type { PromptDraft } from "../../lib/session-model.ts";
import { recallCommands } from "../../lib/slash-commands.ts";
import { formatAge } from "../../lib/times.ts";
import { setPreferences, usePreferences } from "../../stores/preferences-store.ts";
import { createSession, useSessions } from "../../stores/sessions-store.ts";
import { Composer } from "../chat/composer.tsx";
import { DemoPrompts } from "../chat/demo-prompts.tsx";
import { PageHeader } from "../shell/page-header.tsx";
import { Button } from "../ui/button.tsx";
import { Dropdown } from "../ui/dropdown.tsx";
import { Link } from "../ui/link.tsx";
import { STATUS_WORDS, StatusDot } from "../ui/status-dot.tsx";

type HomeProps = { onMenu: () => void; onNew: () => void };

const RECENT = 6;

/** Begins a session with its first message, or goes on with one of the last. */
export function Home({ onMenu, onNew }: HomeProps) {
  const sessions = useSessions((state) => state.sessions);
  const loaded = useSessions((state) => state.load === "ready");
  const creating = useSessions((state) => state.creating);
  const input = useRef<HTMLTextAreaElement>(null);
  const agents = useAgents();
  const preferred = usePreferences((state) => state.agent);
  const agent = agents.find((name) => name === preferred) ?? agents[0] ?? "demo";
  const commands = useMemo(() => recallCommands(agent), [agent]);
  useComposerFocus(input);
  const begin = async (draft: PromptDraft) => {
    const session = await createSession({ agent, title: titleFrom(draft.text) }, draft);
    if (session) goTo(sessionHref(session.id));
  };
  return (
    <>
      <PageHeader onMenu={onMenu} />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto flex min-h-full w-full max-w-3xl flex-col justify-center gap-8 py-10">
          <div className="space-y-6">
            <h1 className="px-6 text-center text-2xl font-semibold tracking-tight text-balance">
              What should we work on?
            </h1>
            <div>
              <Composer
                name="home"
                label="First message of a new session"
                placeholder={commands.length > 0 ? "Describe a task, or type / for commands" : "Describe a task"}
                running={false}
                blocked={creating ? "Starting the session…" : undefined}
                commands={commands}
                input={input}
                onSend={(draft) => void begin(draft)}
                onStop={() => undefined}
              >
                <AgentMenu agents={agents} agent={agent} />
              </Composer>
              <div className="flex justify-center">
                <Button look="quiet" size="small" icon={SlidersHorizontal} onClick={onNew}>
                  Choose agent, workspace and model
                </Button>
              </div>
            </div>
          </div>
          {loaded && sessions.length === 0 && agent === "demo" && (
            <div className="px-4 sm:px-6">
              <DemoPrompts disabled={creating} onPick={(draft) => void begin(draft)} />
            </div>
          )}
          {sessions.length > 0 && <Recent sessions={sessions.slice(0, RECENT)} />}
        </div>
      </div>
    </>
  );
}

function AgentMenu({ agents, agent }: { agents: readonly string[]; agent: string }) {
  const options = agents.map((name) => ({ value: name, label: name }));
  const choose = (name: string) => setPreferences({ agent: name });
  return (
    <Dropdown
      align="start"
      entries={[{ kind: "choices", label: "Agent", value: agent, options, onChange: choose }]}
      trigger={
        <button
          type="button"
          className="inline-flex h-8 items-center gap-1.5 rounded-lg px-2 text-xs font-medium text-ink-muted hover:bg-hover hover:text-ink"
        >
          <Bot aria-hidden="true" className="size-3.5" />
          <span className="sr-only">Agent: </span>
          {agent}
          <ChevronsUpDown aria-hidden="true" className="size-3" />
        </button>
      }
    />
  );
}

function Recent({ sessions }: { sessions: readonly SessionView[] }) {
  return (
    <section aria-label="Recent sessions" className="px-4 sm:px-6">
      <h2 className="mb-2 text-xs font-medium text-ink-muted">Go on with</h2>
      <ul className="grid gap-2 sm:grid-cols-2">
        {sessions.map((session) => (
          <li key={session.id}>
            <Link
              href={sessionHref(session.id)}
              className="group flex items-center gap-3 rounded-xl border border-line bg-surface px-3.5 py-3 shadow-low transition-colors hover:border-line-strong hover:bg-raised/60"
            >
              <StatusDot status={session.status} />
              <span className="min-w-0 flex-1">
                <span className="block truncate text-sm font-medium">{session.title}</span>
                <span className="block truncate text-xs text-ink-muted">
                  {session.agent} · {STATUS_WORDS[session.status]} · {formatAge(session.createdAt)}
                </span>
              </span>
              <ArrowRight
                aria-hidden="true"
                className="size-4 text-ink-muted opacity-0 transition-opacity group-hover:opacity-100"
              />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

const TITLE_CHARS = 60;

/** A session that nobody named is called by what it was asked first. */
function titleFrom(text: string): string | undefined {
  const line = text.split("\n", 1)[0]?.trim() ?? "";
  if (line === "") return undefined;
  return line.length <= TITLE_CHARS ? line : `${line.slice(0, TITLE_CHARS - 1).toWellFormed()}…`;
}
