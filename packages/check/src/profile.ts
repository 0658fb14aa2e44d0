/** Which prompts bring an endpoint into the situations that are looked at. */
export type Profile = {
  readonly name: ProfileName;
  /** Ordinary turns, whose streams are judged frame by frame. */
  readonly samples: readonly string[];
  /** Turns that last long enough to be resumed and stopped. */
  readonly resumed: readonly string[];
  readonly stopped: string;
  readonly repeated: string;
  /** A prompt whose answer should hold the marker. */
  echo(marker: string): string;
  /** Ends in an error; unknown endpoints offer no way. */
  readonly failing?: string;
  /** Is silent for longer than `silenceMs` if nothing keeps the connection alive. */
  readonly slow?: string;
  readonly silenceMs: number;
  /** The endpoint says that a message sent twice runs once. */
  readonly isIdempotent: boolean;
};

export const PROFILE_NAMES = ["agent-ops", "plain"] as const;
export type ProfileName = (typeof PROFILE_NAMES)[number];

export type Prompts = { readonly prompt?: string; readonly slow?: string; readonly failing?: string };

/** Long enough to be resumed, cheap enough to be paid for a dozen times. */
export const PLAIN_PROMPT = "Count from one to forty in words, separated by commas.";

/** Our demo agent, whose commands play every situation. */
export function agentOpsProfile(prompts: Prompts): Profile {
  return {
    name: "agent-ops",
    samples: ["/think", "/tools 3", "/args", "/progress", "/tool-error", "/steps 2", "/empty"],
    resumed: [prompts.prompt ?? "/stream 40 40", "/tools 3"],
    stopped: "/stream 200 50",
    repeated: "/stream 20 20",
    echo: (marker) => `Hello from ${marker}`,
    failing: prompts.failing ?? "/error",
    slow: prompts.slow ?? "/stream 2 5000",
    silenceMs: 4_000,
    isIdempotent: true,
  };
}

/** An endpoint about which nothing is known. Comments every 15 s are what the standard of event streams advises. */
export function plainProfile(prompts: Prompts): Profile {
  const prompt = prompts.prompt ?? PLAIN_PROMPT;
  return {
    name: "plain",
    samples: [],
    resumed: [prompt],
    stopped: prompt,
    repeated: prompt,
    echo: (marker) => `Answer with this word and nothing else: ${marker}`,
    failing: prompts.failing,
    slow: prompts.slow,
    silenceMs: 16_000,
    isIdempotent: false,
  };
}
