import { LIMITS } from "@agent-ops/shared/limits";
import { z } from "zod";
import { mcpServers } from "../mcp/settings.ts";

/** The name of a key in the keys file or the environment. */
const keyFrom = z.string().optional();
const url = z.url({ protocol: /^https?$/ });

const provider = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("openai-compatible"), baseUrl: url, keyFrom, name: z.string().default("custom") }),
  z.strictObject({ type: z.literal("openai"), baseUrl: url.optional(), keyFrom: z.string().default("OPENAI_API_KEY") }),
  z.strictObject({
    type: z.literal("anthropic"),
    baseUrl: url.optional(),
    keyFrom: z.string().default("ANTHROPIC_API_KEY"),
  }),
  z.strictObject({
    type: z.literal("google"),
    baseUrl: url.optional(),
    keyFrom: z.string().default("GOOGLE_GENERATIVE_AI_API_KEY"),
  }),
]);
export type ProviderSettings = z.infer<typeof provider>;

/** What becomes of a tool call: it runs, people are asked, or it does not run. */
const decision = z.enum(["allow", "ask", "deny"]);
export type Decision = z.infer<typeof decision>;

const approvals = z.strictObject({
  default: decision.default("ask"),
  /** For tools that their server calls read-only; a server that lies is the host's to leave out. */
  readOnly: decision.optional(),
  /** By the tool's name as the model sees it: `server_tool`. A trailing `*` stands for any ending. */
  tools: z.record(z.string(), decision).default({}),
});
export type Approvals = z.infer<typeof approvals>;

const settings = z.strictObject({
  type: z.literal("ai-sdk"),
  /** The usual one; its type is its name. */
  provider,
  model: z.string().min(1),
  /** Further models that a prompt may choose. */
  models: z.array(z.string().min(1)).default([]),
  /** Further providers that a prompt may choose, by names of their own, each with its models, the usual one first. */
  providers: z
    .record(
      z.string().min(1).max(LIMITS.modelChars),
      z.strictObject({ provider, models: z.array(z.string().min(1)).min(1) }),
    )
    .default({}),
  instructions: z.string().optional(),
  temperature: z.number().min(0).max(2).optional(),
  maxOutputTokens: z.number().int().positive().optional(),
  /** Requests to the model in one turn. */
  maxSteps: z.number().int().min(1).max(200).default(25),
  mcpServers: mcpServers.default({}),
  approvals: approvals.prefault({}),
  /** Whether the runner's own tools are offered; by default they are. */
  tools: z.boolean().default(true),
});
export const aiSdkSettings = settings.refine(({ provider, providers }) => !(provider.type in providers), {
  path: ["providers"],
  message: "A further provider has another name than the usual one, whose name is its type.",
});
export type AiSdkSettings = z.infer<typeof aiSdkSettings>;
