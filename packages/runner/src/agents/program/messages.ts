import {
  commandsEvent,
  messageFinalize,
  messageStep,
  questionAsked,
  reasoningDelta,
  textDelta,
  toolUpdate,
} from "@agent-ops/shared/events";
import type { Answer } from "@agent-ops/shared/questions";
import { z } from "zod";
import type { AgentPrompt } from "../../agent-client.ts";

const programEvent = z.discriminatedUnion("type", [
  textDelta.omit({ turnId: true }),
  reasoningDelta.omit({ turnId: true }),
  toolUpdate.omit({ turnId: true }),
  messageStep.omit({ turnId: true }),
  questionAsked.omit({ turnId: true }),
  messageFinalize.omit({ turnId: true }),
  commandsEvent,
]);
/** What an agent of ours says during a turn. */
export type ProgramEvent = z.infer<typeof programEvent>;

/** From the process of an agent of ours, one JSON line each. */
export const fromProgram = z.discriminatedUnion("type", [
  z.object({ type: z.literal("events"), turnId: z.string(), events: z.array(programEvent) }),
  z.object({ type: z.literal("end"), turnId: z.string() }),
  z.object({ type: z.literal("failed"), turnId: z.string(), message: z.string() }),
]);
export type FromProgram = z.infer<typeof fromProgram>;

/** To the process of an agent of ours, one JSON line each; `settings` comes first, where an agent has some. */
export type ToProgram<Settings = never> =
  | { type: "settings"; settings: Settings }
  | ({ type: "prompt" } & AgentPrompt)
  | { type: "abort"; turnId: string }
  | { type: "answer"; questionId: string; answer: Answer };
