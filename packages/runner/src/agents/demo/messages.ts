import { messageStep, questionAsked, reasoningDelta, textDelta, toolUpdate } from "@agent-ops/shared/events";
import type { Answer } from "@agent-ops/shared/questions";
import { z } from "zod";

const demoEvent = z.discriminatedUnion("type", [
  textDelta.omit({ turnId: true }),
  reasoningDelta.omit({ turnId: true }),
  toolUpdate.omit({ turnId: true }),
  messageStep.omit({ turnId: true }),
  questionAsked.omit({ turnId: true }),
]);
/** What the demo agent says during a turn. */
export type DemoEvent = z.infer<typeof demoEvent>;

/** From the demo agent's process, one JSON line each. */
export const fromDemo = z.discriminatedUnion("type", [
  z.object({ type: z.literal("events"), turnId: z.string(), events: z.array(demoEvent) }),
  z.object({ type: z.literal("end"), turnId: z.string() }),
  z.object({ type: z.literal("failed"), turnId: z.string(), message: z.string() }),
]);
export type FromDemo = z.infer<typeof fromDemo>;

/** To the demo agent's process, one JSON line each. */
export type ToDemo =
  | { type: "prompt"; turnId: string; text: string }
  | { type: "abort"; turnId: string }
  | { type: "answer"; questionId: string; answer: Answer };
