import { parseArgs } from "node:util";
import { dataFolder, duration, userName } from "../options.ts";
import { dataPaths } from "../paths.ts";
import { loadSecrets } from "../secrets.ts";
import { mintToken } from "../tokens.ts";
import { UsageError } from "../usage-error.ts";

export const help = `agent-ops token --user NAME | --runner NAME [options]

Prints a token for the API: Authorization: Bearer TOKEN
With --runner, one with which \`agent-ops runner\` joins from another machine, and which opens nothing else.

  --user NAME    whose token
  --runner NAME  for which runner host; each needs a name of its own
  --ttl TIME     how long it is good: 30s, 15m, 1h, 7d (default 1h, for a runner 365d)
  --data FOLDER  where the data is kept (default .agent-ops, or AGENT_OPS_DATA)`;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      user: { type: "string" },
      runner: { type: "string" },
      ttl: { type: "string" },
      data: { type: "string" },
    },
  });
  if (values.user !== undefined && values.runner !== undefined) {
    throw new UsageError("A token is for a user or for a runner: give --user or --runner.");
  }
  const name = userName(values.runner ?? values.user);
  const kind = values.runner === undefined ? USER : RUNNER;
  const { auth } = loadSecrets(dataPaths(dataFolder(values.data)));
  console.log(await mintToken(auth, name, { audience: kind.audience, ttl: duration(values.ttl ?? kind.ttl) }));
}

const USER = { audience: "agent-ops", ttl: "1h" } as const;
const RUNNER = { audience: "agent-ops:runner", ttl: "365d" } as const;
