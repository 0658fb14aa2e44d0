import { TIMES } from "@agent-ops/shared/limits";
import { type Times, timesSetting } from "@agent-ops/shared/times";
import { z } from "zod";
import { logWarning } from "./log.ts";

/** The times of this installation. What `TIMES` has that cannot be is left out and said: nobody is there to be refused. */
export function timesOf({ TIMES: setting }: { TIMES?: string }): Times {
  if (!setting) return TIMES;
  const given = objectIn(setting);
  const used = timesSetting.parse(Object.fromEntries(Object.entries(given).filter(isUsable)));
  const ignored = Object.keys(given).filter((name) => !(name in used));
  if (ignored.length > 0) logWarning("TIMES has what cannot be used", { ignored: ignored.join(", ") });
  return { ...TIMES, ...used };
}

function isUsable([name, value]: [string, unknown]): boolean {
  return timesSetting.safeParse({ [name]: value }).success;
}

function objectIn(setting: string): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(setting));
  } catch {
    logWarning("TIMES is not a JSON object");
    return {};
  }
}
