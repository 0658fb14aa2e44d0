import { useEffect, useState } from "react";
import { describeError } from "../lib/api-error.ts";
import { api } from "../stores/services.ts";
import { addToast } from "../stores/toast-store.ts";

const DEFAULT = "demo";
let known: readonly string[] = [DEFAULT];

/** The agents that one can work with, the usual one first. */
export function useAgents(): readonly string[] {
  const [agents, setAgents] = useState(known);
  useEffect(() => {
    let current = true;
    api.listAgents().then(
      (names) => {
        known =
          names.length === 0 ? [DEFAULT] : names.toSorted((a, b) => Number(b === DEFAULT) - Number(a === DEFAULT));
        if (current) setAgents(known);
      },
      (error: unknown) => addToast("error", describeError(error)),
    );
    return () => {
      current = false;
    };
  }, []);
  return agents;
}
