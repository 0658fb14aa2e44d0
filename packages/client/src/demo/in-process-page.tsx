import { createRuntimeTransport } from "@agent-ops/ai-sdk";
import { useEffect, useRef, useState } from "react";
import { Button } from "../components/ui/button.tsx";
import { DemoChat } from "./demo-chat.tsx";
import { ESSAY_FLOW } from "./essay-flow.ts";
import { FlowRuntime } from "./flow-runtime.ts";
import type { DemoMessage } from "./message-view.tsx";

const DEFAULT_PACE_MS = 25;
const pace = Number(new URLSearchParams(location.search).get("pace") ?? DEFAULT_PACE_MS);

/** They live as long as the tab does: a chat that is hidden and shown again finds its run where it is. */
const runtime = new FlowRuntime({ ...ESSAY_FLOW, pace });
const transport = createRuntimeTransport(runtime, { graceMs: 60_000 });

const ENDS: ReadonlySet<string> = new Set(["flow:complete", "flow:aborted", "agent:error"]);

/** Counted at the runtime itself: a run goes on whether or not anybody looks. */
function useRunCounts(): { started: number; going: number } {
  const [counts, setCounts] = useState({ started: 0, going: 0 });
  useEffect(
    () =>
      runtime.onEvent(({ type }) => {
        if (type === "flow:start") setCounts(({ started, going }) => ({ started: started + 1, going: going + 1 }));
        if (ENDS.has(type)) setCounts(({ started, going }) => ({ started, going: going - 1 }));
      }),
    [],
  );
  return counts;
}

/** A flow of three agents in this tab, through the AI SDK's `useChat`. No server takes part. */
export default function InProcessPage() {
  const [shown, setShown] = useState(true);
  const history = useRef<DemoMessage[]>([]);
  const { started, going } = useRunCounts();
  return (
    <main className="mx-auto flex h-dvh max-w-3xl flex-col gap-4 px-4 py-6 text-ink">
      <header className="flex items-start justify-between gap-4">
        <div>
          <h1 className="text-lg font-semibold">Agents in this tab</h1>
          <p className="text-sm text-ink-muted">
            A researcher, a writer and an editor run in your browser and speak to useChat directly. No server takes
            part.
          </p>
        </div>
        <Button onClick={() => setShown(!shown)}>{shown ? "Hide the chat" : "Show the chat"}</Button>
      </header>
      <p data-testid="runs" data-started={started} data-going={going} className="text-sm text-ink-muted">
        {going === 0 ? "No flow is running." : `Flows running: ${going}`}
      </p>
      {shown && <DemoChat transport={transport} history={history} onPause={() => runtime.pause()} />}
    </main>
  );
}
