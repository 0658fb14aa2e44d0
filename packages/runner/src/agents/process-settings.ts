import { z } from "zod";
import type { AgentEnvironment } from "../agent-environment.ts";

/** A program that the host's configuration names, as fields of an object. */
export const processSettings = {
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  /** Beside the scrubbed environment that every agent gets. */
  env: z.record(z.string(), z.string()).default({}),
  /** Names of keys and variables that are taken from the keys file or from the runner's own environment. */
  envFrom: z.array(z.string().min(1)).default([]),
};

interface EnvironmentSettings {
  env: Record<string, string>;
  envFrom: readonly string[];
}

const SECRET_NAME = /(KEY|TOKEN|SECRET|PASSWORD)$/i;

/** The variables of a program. Those that nobody has set are left out: the program says itself what it misses. */
export function variablesOf(
  { env, envFrom }: EnvironmentSettings,
  environment: AgentEnvironment | undefined,
): Record<string, string> {
  for (const [name, value] of Object.entries(env)) if (SECRET_NAME.test(name)) environment?.hide(value);
  const taken = envFrom.flatMap((name) => {
    const value = environment && secretOf(environment, name);
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(taken), ...env };
}

/** A value by its name, which nobody gets to see from now on. */
export function secretOf(environment: AgentEnvironment, name: string): string | undefined {
  const value = environment.get(name);
  if (value !== undefined) environment.hide(value);
  return value;
}
