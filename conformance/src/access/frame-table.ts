import { type AccessScene, QUEUED_PROMPT } from "./access-scene.ts";

/** `done` is seen by those concerned, `told` changes nothing; anything else is the code of a refusal. */
type Outcome = "done" | "told" | "forbidden";
type Doer = "owner" | "collaborator" | "viewer" | "widget";

export type FrameRow = {
  /** The type of the frame. */
  frame: string;
  fields: (scene: AccessScene) => Record<string, unknown>;
  cells: Record<Doer, Outcome>;
};

function cells(owner: Outcome, collaborator: Outcome, viewer: Outcome, widget: Outcome): Record<Doer, Outcome> {
  return { owner, collaborator, viewer, widget };
}

/** A visitor never gets to the V2 socket. */
const MEMBERS = cells("done", "done", "forbidden", "forbidden");
const OWNERS = cells("done", "forbidden", "forbidden", "forbidden");
const READERS = cells("told", "told", "told", "forbidden");

/** Every frame that a client can send to the V2 socket. */
export const SOCKET_FRAMES: FrameRow[] = [
  { frame: "prompt", cells: MEMBERS, fields: () => ({ id: "new", text: "And this?" }) },
  { frame: "abort", cells: MEMBERS, fields: () => ({}) },
  { frame: "answer", cells: MEMBERS, fields: ({ questionId }) => ({ questionId, answer: { approved: true } }) },
  { frame: "withdraw", cells: MEMBERS, fields: () => ({ promptId: QUEUED_PROMPT }) },
  { frame: "set-title", cells: OWNERS, fields: () => ({ title: "Renamed" }) },
  { frame: "diff", cells: READERS, fields: () => ({ requestId: "d" }) },
  { frame: "review", cells: MEMBERS, fields: () => ({ requestId: "r" }) },
  { frame: "ping", cells: READERS, fields: () => ({}) },
  { frame: "ack", cells: READERS, fields: () => ({ seq: 1 }) },
];

const request = { requestId: "r", id: "matrix", headers: {}, body: {} };
const approval = ({ questionId }: AccessScene) => ({
  role: "assistant",
  parts: [{ type: "tool-x", state: "approval-responded", approval: { id: questionId, approved: true } }],
});

/** Every frame that a client can send to the chat's socket. */
export const CHAT_FRAMES: FrameRow[] = [
  {
    frame: "send",
    cells: cells("done", "done", "forbidden", "done"),
    fields: () => ({ ...request, messages: [{ id: "new", role: "user", content: "And this?" }] }),
  },
  {
    // An approval in the disguise of a message.
    frame: "send",
    cells: cells("done", "done", "forbidden", "forbidden"),
    fields: (scene) => ({ ...request, messages: [{ role: "user", content: "x" }, approval(scene)] }),
  },
  {
    frame: "send",
    cells: cells("done", "done", "forbidden", "forbidden"),
    fields: () => ({ ...request, trigger: "regenerate-message", messages: [{ role: "user", content: "x" }] }),
  },
  { frame: "resume", cells: cells("told", "told", "told", "told"), fields: () => request },
  {
    // Of the turn that runs, which is the collaborator's.
    frame: "abort",
    cells: cells("done", "done", "forbidden", "forbidden"),
    fields: () => ({ requestId: "r" }),
  },
];
