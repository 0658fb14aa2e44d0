import type { RunnerEvent } from "@agent-ops/shared/events";
import { LIMITS } from "@agent-ops/shared/limits";
import type { AgentClient } from "../agent-client.ts";
import type { AgentPlace } from "../agent-places.ts";
import { Redactor } from "../agents/redactor.ts";
import { describeError, type Log } from "../log.ts";
import { type FileChange, fingerprint, WorkspaceChanges } from "./changes.ts";
import { reviewStats } from "./review.ts";
import { reviewBy } from "./reviewer.ts";
import type { Workspaces } from "./workspaces.ts";

/** One file's patch, and all of a diff, so that the event fits a row of the log. */
const FILE_CHARS = 64 * 1024;
const DIFF_CHARS = LIMITS.rowBytes / 4;
const REVIEW_MS = 300_000;
const UNDER_REVIEW = "The changes are under review already.";

interface SessionWorkspaceOptions {
  sessionId: string;
  workspaces: Workspaces;
  place(): AgentPlace;
  /** What the session wants its folder to be. */
  wanted(): string | undefined;
  /** An agent in a new conversation, for a review. */
  createAgent(): AgentClient;
  /** Values that no event may show. */
  secrets?: ReadonlySet<string>;
  emit(event: RunnerEvent): void;
  log: Log;
}

/** One session's folder: made when it is first needed, looked at after each turn and when somebody asks. */
export class SessionWorkspace {
  #options: SessionWorkspaceOptions;
  /** What was changed when the last turn ended, by path. */
  #known: Map<string, string> | undefined;
  #toldState = "";
  /** Git locks its index, so one look is taken after the other. */
  #tail: Promise<unknown> = Promise.resolve();
  /** A look that has not begun, for all who want one. */
  #nextLook: Promise<FileChange[]> | undefined;
  #reviewing: { controller: AbortController; ended: Promise<void> } | undefined;
  #redactor: Redactor;
  #isClosed = false;

  constructor(options: SessionWorkspaceOptions) {
    this.#options = options;
    this.#redactor = new Redactor(options.secrets ?? new Set());
  }

  /** Before an agent works in it. */
  async prepare(signal: AbortSignal): Promise<void> {
    await this.#inOrder(async () => {
      const changes = await this.#changes(signal);
      if (this.#known) return;
      this.#known = new Map();
      await this.#begin(changes).catch((error: unknown) => this.#failed(error));
    });
  }

  /** Nothing is looked at any more; the folder can be taken away. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.endReview();
    await this.#reviewing?.ended;
    await this.#tail;
  }

  endReview(): void {
    this.#reviewing?.controller.abort();
  }

  turnEnded(turnId: string): void {
    this.#inOrder(() => this.#look(turnId)).catch((error: unknown) => this.#failed(error));
  }

  async diff(requestId: string): Promise<void> {
    const told = await this.#changedFiles().then((files) => ({ files: this.#shown(files) }), complaint);
    this.#tell({ type: "diff", requestId, ...told });
  }

  /** One at a time, since each is a whole agent. */
  async review(requestId: string): Promise<void> {
    if (this.#isClosed) return;
    if (this.#reviewing) return this.#tell({ type: "review-result", requestId, files: [], error: UNDER_REVIEW });
    const controller = new AbortController();
    const ended = this.#review(controller.signal)
      .catch(complaint)
      .then((told) => {
        this.#reviewing = undefined;
        this.#tell({ type: "review-result", requestId, ...told });
      });
    this.#reviewing = { controller, ended };
    await ended;
  }

  async #begin(changes: WorkspaceChanges): Promise<void> {
    this.#known = await fingerprints(changes);
    await this.#tellState(changes);
  }

  async #look(turnId: string): Promise<void> {
    const before = this.#known;
    // A turn whose folder could not be made has changed nothing.
    if (!before || this.#isClosed) return;
    const changes = await this.#changes();
    const files = changes.isUntouched && before.size === 0 ? [] : await changes.files();
    const after = new Map(files.map((file) => [file.path, fingerprint(file)]));
    this.#known = after;
    const changed = files.filter(({ path }) => before.get(path) !== after.get(path)).map(withoutPatch);
    const restored = [...before.keys()]
      .filter((path) => !after.has(path))
      .map((path) => ({ path, status: "restored" }));
    const all = [...changed, ...restored];
    await this.#tellState(changes);
    if (all.length === 0) return;
    // The turn has ended, so the events do not belong to it any more.
    this.#tell({ type: "files-changed", afterTurnId: turnId, files: all });
    this.#tell({ type: "diff", requestId: turnId, files: this.#shown(files) });
  }

  async #tellState(changes: WorkspaceChanges): Promise<void> {
    const state = await changes.state();
    const told = JSON.stringify(state);
    if (!state || told === this.#toldState) return;
    this.#toldState = told;
    this.#tell({ type: "git-state", ...state });
  }

  async #review(signal: AbortSignal) {
    const files = await this.#changedFiles();
    if (files.length === 0) return { files: [], overallSummary: "Nothing has changed, so there is nothing to review." };
    signal.throwIfAborted();
    const patience = AbortSignal.any([signal, AbortSignal.timeout(REVIEW_MS)]);
    const review = await reviewBy(this.#options.createAgent(), files, patience);
    return { ...review, stats: reviewStats(review) };
  }

  #changedFiles(): Promise<FileChange[]> {
    this.#nextLook ??= this.#inOrder(async () => {
      this.#nextLook = undefined;
      return (await this.#changes()).files();
    });
    return this.#nextLook;
  }

  /** A secret is taken out before a text is cut, since a part of one would not be found. */
  #shown(files: FileChange[]) {
    return shortened(this.#redactor.value(files));
  }

  #tell(event: RunnerEvent): void {
    this.#options.emit(this.#redactor.value(event));
  }

  async #changes(signal = AbortSignal.timeout(REVIEW_MS)): Promise<WorkspaceChanges> {
    const { sessionId, workspaces, wanted } = this.#options;
    const place = this.#options.place();
    return new WorkspaceChanges(place, await workspaces.prepare(sessionId, place, wanted(), signal));
  }

  /** An agent works without anybody looking. */
  #failed(error: unknown): void {
    this.#options.log.error("workspace.look_failed", { cause: describeError(error) });
  }

  #inOrder<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#tail.then(work);
    this.#tail = result.catch(() => {});
    return result;
  }
}

async function fingerprints(changes: WorkspaceChanges): Promise<Map<string, string>> {
  const files = await changes.files();
  return new Map(files.map((file) => [file.path, fingerprint(file)]));
}

function withoutPatch({ patch: _, ...file }: FileChange) {
  return file;
}

function shortened(files: FileChange[]) {
  let room = DIFF_CHARS;
  return files.map((file) => {
    const patch = file.patch.slice(0, Math.min(FILE_CHARS, room));
    room -= patch.length;
    return patch.length < file.patch.length ? { ...file, patch, truncated: true } : file;
  });
}

function complaint(error: unknown): { files: []; error: string } {
  return { files: [], error: error instanceof Error ? error.message : String(error) };
}
