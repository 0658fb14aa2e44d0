import type { PublicSettings } from "@agent-ops/shared/settings";

export type Act = "session created" | "prompt sent" | "approval answered";
type Place = NonNullable<PublicSettings["telemetry"]>;

const KEY = "agent-ops.telemetry";

/** One act, under a name that only this browser has. Whether it arrives is of no importance to anybody here. */
export function sendAct({ key, host }: Place, act: Act): void {
  const body = JSON.stringify({
    api_key: key,
    event: act,
    distinct_id: browserName(),
    properties: { $process_person_profile: false, $geoip_disable: true },
  });
  const quiet = { mode: "no-cors", credentials: "omit", referrerPolicy: "no-referrer", keepalive: true } as const;
  fetch(`${host}/i/v0/e/`, { method: "POST", body, ...quiet }).catch(() => undefined);
}

function browserName(): string {
  const name = localStorage.getItem(KEY) ?? crypto.randomUUID();
  localStorage.setItem(KEY, name);
  return name;
}
