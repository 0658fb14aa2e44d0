import type { PublicSettings } from "@agent-ops/shared/settings";
import { create } from "zustand";
import { readSettings } from "../lib/api.ts";

/** What the server says about itself; until it has, nothing is counted and links sign people in. */
export const useSettings = create<PublicSettings>()(() => ({ signIn: "link" }));

export async function loadSettings(): Promise<void> {
  const settings = await readSettings().catch(() => undefined);
  if (settings) useSettings.setState(settings);
}
