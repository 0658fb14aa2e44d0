import { z } from "zod";

export const role = z.enum(["owner", "collaborator", "viewer"]);
export type Role = z.infer<typeof role>;

export const sessionStatus = z.enum([
  "initializing",
  "ready",
  "running",
  "hibernating",
  "hibernated",
  "terminated",
  "error",
]);
export type SessionStatus = z.infer<typeof sessionStatus>;

export const sessionInfo = z.object({
  id: z.string(),
  agent: z.string(),
  title: z.string(),
  status: sessionStatus,
  createdAt: z.number(),
  /** The session it was made from. */
  parentId: z.string().optional(),
  /** Its owner's alone: it cannot be shared. */
  orchestrator: z.boolean().optional(),
});
export type SessionInfo = z.infer<typeof sessionInfo>;

/** What a session knows of a child: a session of its own, or one that lives inside its agent and cannot be opened. */
export const childInfo = z.object({
  childSessionId: z.string().min(1).max(128),
  title: z.string(),
  status: z.string(),
  openable: z.boolean(),
});
export type ChildInfo = z.infer<typeof childInfo>;

/** A session as one member sees it. */
export const sessionView = sessionInfo.extend({
  role,
  /** In a list of sessions: who has it open, where somebody does. */
  people: z.array(z.string()).optional(),
});
export type SessionView = z.infer<typeof sessionView>;
