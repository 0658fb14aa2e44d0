import type { CheckId } from "../../src/catalogue.ts";
import type { Report } from "../../src/report.ts";
import { type CheckOptions, runCheck } from "../../src/run-check.ts";
import type { Verdict } from "../../src/verdict.ts";
import { SILENCE_MS, SLOW_PROMPT } from "./scripted-endpoint.ts";
import { type Handler, serve } from "./serve.ts";

/** Runs the whole check against a handler on a real socket. */
export async function check(handler: Handler, options: Partial<CheckOptions> = {}): Promise<Report> {
  const server = await serve(handler);
  try {
    return await runCheck({
      url: server.url,
      headers: {},
      timeoutMs: 10_000,
      silenceMs: 0.75 * SILENCE_MS,
      ...options,
      prompts: { prompt: "Tell me something.", slow: SLOW_PROMPT, ...options.prompts },
    });
  } finally {
    await server.close();
  }
}

export function idsOf(report: Report, status: Verdict["status"]): CheckId[] {
  const checks = report.groups.flatMap((group) => group.checks);
  return checks.filter(({ verdict }) => verdict.status === status).map(({ id }) => id);
}

export function verdictOn(report: Report, id: CheckId): Verdict | undefined {
  return report.groups.flatMap((group) => group.checks).find((check) => check.id === id)?.verdict;
}
