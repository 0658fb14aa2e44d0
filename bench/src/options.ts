import { join } from "node:path";
import { parseArgs } from "node:util";
import { CASES } from "./cases/all.ts";
import { SYSTEM_NAMES, type SystemName } from "./systems/system.ts";

export const HELP = `npm run bench [-- OPTIONS]

Measures the chat adapter beside a V2 WebSocket reader, a naive bridge on workerd, ai 7 on Node and
@cloudflare/ai-chat, all in one run on this machine. Compare figures of one run only.

  --quick         fewer cases, a round each, about a minute
  --only NAME     one case, or those whose names begin so; may be repeated
  --against NAMES which peers, separated by commas (default: all)
  --json FILE     where the figures go (default bench/results/latest.json)

Cases: ${CASES.map(({ name }) => name).join(", ")}
Peers: ${SYSTEM_NAMES.filter((name) => name !== "adapter").join(", ")}`;

export type Options = { quick: boolean; only: string[]; systems: SystemName[]; json: string; help: boolean };

export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      against: { type: "string" },
      json: { type: "string", default: join(import.meta.dirname, "../results/latest.json") },
      help: { type: "boolean", default: false },
    },
  });
  const { against, ...options } = values;
  return { ...options, systems: ["adapter", ...(against?.split(",").map(systemName) ?? SYSTEM_NAMES.slice(1))] };
}

function systemName(text: string): SystemName {
  const found = SYSTEM_NAMES.find((name) => name === text);
  if (!found) throw new Error(`There is no system "${text}". There are: ${SYSTEM_NAMES.join(", ")}.`);
  return found;
}

export function chosenCases({ quick, only }: Options) {
  if (only.length === 0) return CASES.filter((entry) => entry.quick || !quick);
  const chosen = CASES.filter(({ name }) => only.some((wanted) => name.startsWith(wanted)));
  if (chosen.length === 0) throw new Error(`No case is named ${only.join(" or ")}.`);
  return chosen;
}
