import { FileDiff, RotateCw } from "lucide-react";
import { lazy, Suspense, useEffect, useMemo } from "react";
import { type Chat, useSession } from "../../hooks/use-chat.ts";
import { readDiffFiles } from "../../lib/diff-files.ts";
import { fresh } from "../../lib/fresh.ts";
import { ErrorNote } from "../chat/error-note.tsx";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { Spinner } from "../ui/spinner.tsx";

const FileChanges = lazy(fresh(() => import("./file-changes.tsx").then((module) => ({ default: module.FileChanges }))));

/** The files that the agent changed, and how. The runner tells new ones by itself. */
export function ChangesTab({ chat }: { chat: Chat }) {
  const diff = useSession(chat, ({ state }) => state.diff);
  const version = useSession(chat, ({ state }) => state.filesVersion);
  const git = useSession(chat, ({ state }) => state.gitState);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version of the files is asked for
  useEffect(() => chat.actions.loadDiff(), [version, chat]);
  const files = useMemo(() => readDiffFiles(diff?.files ?? []), [diff]);
  if (!diff)
    return (
      <div role="status" className="flex items-center justify-center gap-2 py-10 text-sm text-ink-muted">
        <Spinner /> Reading the changes…
      </div>
    );
  if (typeof diff.error === "string")
    return (
      <div className="p-3">
        <ErrorNote text={diff.error} />
      </div>
    );
  if (files.length === 0)
    return (
      <EmptyState
        icon={FileDiff}
        title="No changes yet"
        text="Files that the agent changes show up here, line by line."
      >
        <Button size="small" icon={RotateCw} onClick={chat.actions.askDiff}>
          Look again
        </Button>
      </EmptyState>
    );
  const [added, removed] = [sum(files.map((file) => file.additions)), sum(files.map((file) => file.deletions))];
  return (
    <div className="space-y-3 p-3">
      <p className="flex items-center gap-2 px-1 text-xs text-ink-muted">
        {files.length === 1 ? "1 file" : `${files.length} files`}
        <span className="text-good">+{added}</span>
        <span className="text-bad">−{removed}</span>
        {git?.branch !== undefined && <span className="ml-auto truncate font-mono">{git.branch}</span>}
      </p>
      <Suspense fallback={<Spinner />}>
        {files.map((file) => (
          <FileChanges key={file.path} file={file} open={files.length <= 5} />
        ))}
      </Suspense>
    </div>
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
