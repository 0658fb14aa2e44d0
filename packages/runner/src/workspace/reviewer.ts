import type { AgentClient, AgentEvent } from "../agent-client.ts";
import type { FileChange } from "./changes.ts";
import { correctionPrompt, type Review, readReview, reviewPrompt } from "./review.ts";

const ATTEMPTS = 2;
const REFUSAL = { approved: false, reason: "This is a review: nothing may be changed or run." };

/** Has changes reviewed by an agent in a conversation of its own, which ends with the review. */
export async function reviewBy(agent: AgentClient, files: readonly FileChange[], signal: AbortSignal): Promise<Review> {
  // An agent that is still starting hears of nothing else.
  const end = () => void agent.dispose().catch(() => {});
  signal.addEventListener("abort", end, { once: true });
  try {
    await agent.session?.();
    let prompt = reviewPrompt(files);
    for (let attempt = 1; ; attempt += 1) {
      signal.throwIfAborted();
      const read = readReview(await ask(agent, prompt, signal));
      if (read.ok) return read.review;
      if (attempt === ATTEMPTS) throw new Error(`The agent's review cannot be read: ${read.problem}`);
      prompt = correctionPrompt(read.problem);
    }
  } finally {
    signal.removeEventListener("abort", end);
    await agent.dispose();
  }
}

/** One answer's text: what came before a tool was not the answer yet. */
async function ask(agent: AgentClient, text: string, signal: AbortSignal): Promise<string> {
  let answer = "";
  for await (const event of agent.prompt({ turnId: "review", userId: "review", text }, signal)) {
    if (event.type === "message.step") answer = "";
    if (event.type === "message.part.text-delta") answer += event.delta;
    refuse(agent, event);
    failIn(event);
  }
  return answer;
}

/** Whatever the agent asks for is refused. */
function refuse(agent: AgentClient, event: AgentEvent): void {
  if (event.type !== "question") return;
  agent.answer(event.questionId, event.kind === "approval" ? REFUSAL : { action: "cancel" });
}

function failIn(event: AgentEvent): void {
  if (event.type === "error") throw new Error(event.message);
  if (event.type === "message.finalize" && event.reason === "error")
    throw new Error(event.error ?? "The agent failed.");
}
