import type { Role } from "@agent-ops/shared/sessions";

/** With what somebody comes: their own token, or the API token that they made last. */
export type Credential = "own" | "api-token";
export type By = { user: string; credential: Credential };
/** Over HTTP, or over the V2 socket that the person has open. */
export type Via = "http" | "socket";

export type Act =
  | { type: "create"; by: By }
  | { type: "prompt"; by: By; via: Via; id: string; text: string }
  | { type: "abort"; by: By; via: Via }
  | { type: "answer"; by: By; via: Via; questionId: string; answer: object }
  | { type: "withdraw"; by: By; via: "socket"; promptId: string }
  | { type: "rename"; by: By; via: Via; title: string }
  | { type: "share"; by: By; via: "http"; member: string; role: Role }
  | { type: "unshare"; by: By; via: "http"; member: string }
  | { type: "terminate"; by: By; via: "http" }
  | { type: "delete"; by: By; via: "http" }
  | { type: "make-token"; user: string }
  | { type: "revoke-token"; user: string }
  | { type: "connect"; by: By }
  | { type: "disconnect"; user: string }
  | { type: "agent-asks"; questionId: string; kind: QuestionKind }
  | { type: "agent-ends" };

export type QuestionKind = "approval" | "choice" | "text";
export type ActType = Act["type"];

/** What came of an act: `ok`, or the code of its refusal. */
export type Outcome = string;
