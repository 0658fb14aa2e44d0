const WORDS: Record<string, string> = {
  thinking: "Thinking",
  streaming: "Writing",
  tool_calling: "Using a tool",
  error: "Something went wrong",
};

type ActivityLineProps = { running: boolean; status: string | undefined; detail?: string };

/** One quiet line that says what the agent does now. */
export function ActivityLine({ running, status, detail }: ActivityLineProps) {
  const words = detail ?? (status === undefined ? undefined : WORDS[status]) ?? "Working";
  return (
    <p className="mx-auto h-6 w-full max-w-3xl truncate px-5 text-xs text-ink-muted sm:px-7" aria-hidden={!running}>
      {running && `${words}…`}
    </p>
  );
}
