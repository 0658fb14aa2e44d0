import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { type AgentReport, reportAgents } from "@agent-ops/runner/agent-report";
import { readAgentsFile, readKeysFile } from "@agent-ops/runner/agents-file";
import { agentsFile } from "../agents-option.ts";
import { keysFile } from "../host-options.ts";
import { dataFolder } from "../options.ts";
import { dataPaths } from "../paths.ts";

export const help = `agent-ops agents [options]

Says which agents this machine has, in which version, what is missing and how to get it.

  --agents FILE  further agents of this host (default: agents.json in the data
                 folder's private part, or AGENT_OPS_AGENTS)
  --data FOLDER  where the data is kept (default .agent-ops, or AGENT_OPS_DATA)
  --json         for programs

Keys come from the environment, or from keys.json in the data folder's private part
(or AGENT_OPS_KEYS): {"OPENAI_API_KEY": "..."}, readable by you alone.`;

export async function run(args: string[]): Promise<void> {
  const text = { type: "string" } as const;
  const { values } = parseArgs({ args, options: { agents: text, data: text, json: { type: "boolean" } } });
  const paths = dataPaths(dataFolder(values.data));
  const keys = readKeysFile(keysFile(paths));
  const hasKey = (name: string) => Boolean(keys[name] ?? process.env[name]);
  const reports = await reportAgents(readAgentsFile(resolve(agentsFile(values.agents, paths))), hasKey);
  console.log(values.json ? JSON.stringify(reports) : reports.map(line).join("\n"));
}

function line(report: AgentReport): string {
  return `${report.offered ? "+" : "-"} ${report.name.padEnd(12)} ${describe(report)}`;
}

function describe(report: AgentReport): string {
  switch (report.kind) {
    case "built-in":
      return "built in";
    case "installed": {
      const found = `${report.version ?? "unknown version"} (${report.program})`;
      return report.acp ? `${found}; speaks ACP, to use it add ${entry(report)} to agents.json` : found;
    }
    case "missing":
      return `not installed; ${report.install ?? `there is no program "${report.command}" on the PATH`}`;
    case "model":
      return `${report.provider} ${report.model}${report.missingKey ? `; the key ${report.missingKey} is missing` : ""}`;
    default:
      return report satisfies never;
  }
}

function entry({ name, program, acp }: Extract<AgentReport, { kind: "installed" }>): string {
  return JSON.stringify({ [name]: { type: "acp", command: program, args: acp ?? [] } }).slice(1, -1);
}
