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
});
export type SessionInfo = z.infer<typeof sessionInfo>;

/** A session as one member sees it. */
export const sessionView = sessionInfo.extend({ role });
export type SessionView = z.infer<typeof sessionView>;
