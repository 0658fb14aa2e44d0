import type { AgentActivity } from "../../lib/session-model.ts";

const WORDS: Partial<Record<string, string>> = {
  thinking: "Thinking",
  streaming: "Writing",
  tool_calling: "Using a tool",
  error: "Something went wrong",
};

type ActivityLineProps = { running: boolean; activity: AgentActivity | undefined };

/** One quiet line that says what the agent does now. */
export function ActivityLine({ running, activity }: ActivityLineProps) {
  const words = activity?.detail ?? (activity && WORDS[activity.status]) ?? "Working";
  return (
    <p className="mx-auto h-6 w-full max-w-3xl truncate px-5 text-xs sm:px-7" aria-hidden={!running}>
      {running && (
        <span className={activity?.status === "waiting" ? "font-medium text-accent" : "shimmer"}>{words}…</span>
      )}
    </p>
  );
}
