import { parseArgs } from "node:util";
import { dataFolder, duration, userName } from "../options.ts";
import { dataPaths } from "../paths.ts";
import { loadSecrets } from "../secrets.ts";
import { mintToken } from "../tokens.ts";

export const help = `agent-ops token --user NAME [options]

Prints a token for the API: Authorization: Bearer TOKEN

  --user NAME    whose token
  --ttl TIME     how long it is good: 30s, 15m, 1h, 7d (default 1h)
  --data FOLDER  where the data is kept (default .agent-ops, or AGENT_OPS_DATA)`;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { user: { type: "string" }, ttl: { type: "string", default: "1h" }, data: { type: "string" } },
  });
  const user = userName(values.user);
  const { auth } = loadSecrets(dataPaths(dataFolder(values.data)));
  console.log(await mintToken(auth, user, { audience: "agent-ops", ttl: duration(values.ttl) }));
}
