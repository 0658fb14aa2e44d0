import { type Act, sendAct } from "../lib/posthog.ts";
import { useSettings } from "./settings-store.ts";

/** TEL1, TEL2: counts that something was done, where the operator wants that and this person does not object. */
export function countAct(act: Act): void {
  const { telemetry } = useSettings.getState();
  if (telemetry && !objects()) sendAct(telemetry, act);
}

function objects(): boolean {
  return (
    navigator.doNotTrack === "1" || ("globalPrivacyControl" in navigator && navigator.globalPrivacyControl === true)
  );
}
