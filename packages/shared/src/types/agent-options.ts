import { z } from "zod";
import { LIMITS } from "../limits.ts";

/** How the agent should work: for a whole session, or for one prompt. An agent that does not know an option ignores it. */
export const agentOptions = z.object({
  /** A name of the host's configuration. */
  provider: z.string().min(1).max(LIMITS.modelChars).optional(),
  model: z.string().min(1).max(LIMITS.modelChars).optional(),
  temperature: z.number().min(0).max(2).optional(),
  /** Added to what the host's configuration tells the model. */
  system: z.string().max(LIMITS.systemChars).optional(),
  /** Names of the host's configuration, or addresses that it allows; without it, all that the configuration names. */
  mcpServers: z.array(z.string().min(1).max(LIMITS.mcpServerChars)).max(LIMITS.mcpServers).optional(),
});
export type AgentOptions = z.infer<typeof agentOptions>;

/** The key for the model that comes with one prompt; nothing keeps it. It is sent in a header, so it is plain. */
export const apiKey = z
  .string()
  .min(8)
  .max(LIMITS.keyChars)
  .regex(/^[\x21-\x7e]+$/, "A key has letters, digits and signs, and no spaces.");

/**
 * What was given counts before what is usual, each option by itself. Another provider takes no model that was chosen for
 * the usual one.
 */
export function withUsual(given: AgentOptions, usual: AgentOptions): AgentOptions {
  const provider = given.provider ?? usual.provider;
  return {
    provider,
    model: given.model ?? (provider === usual.provider ? usual.model : undefined),
    temperature: given.temperature ?? usual.temperature,
    system: given.system ?? usual.system,
    mcpServers: given.mcpServers ?? usual.mcpServers,
  };
}
