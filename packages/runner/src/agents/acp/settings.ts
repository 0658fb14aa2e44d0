import { z } from "zod";
import { processSettings } from "../process-settings.ts";

/** How an ACP agent is started and spoken to; from the host's own configuration alone. */
export const acpSettings = z.strictObject({
  type: z.literal("acp"),
  ...processSettings,
  /** The method to sign in with, where the agent wants one named (`authenticate`). */
  signIn: z.string().optional(),
  /** The mode that a session is put into (`session/set_mode`). */
  mode: z.string().optional(),
  /** Whether the agent is offered to read and write files through us; by default it is. */
  files: z.boolean().default(true),
  /** Whether the agent is offered to run commands through us; by default it is. */
  terminals: z.boolean().default(true),
  /** Whether the agent is offered the runner's own tools; by default it is. */
  tools: z.boolean().default(true),
});
export type AcpSettings = z.infer<typeof acpSettings>;
