import { parseArgs } from "node:util";
import { baseUrl, dataFolder, portNumber, userName } from "../options.ts";
import { dataPaths } from "../paths.ts";
import { loadSecrets } from "../secrets.ts";
import { signInLink } from "../tokens.ts";

export const help = `agent-ops link --user NAME [options]

Prints a fresh sign-in link. It works once and for ten minutes.

  --user NAME    who signs in
  --url ADDRESS  where the product runs (default http://127.0.0.1:PORT)
  --port N       the port, where it runs on this machine (default 8787, or PORT)
  --data FOLDER  where the data is kept (default .agent-ops, or AGENT_OPS_DATA)`;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      user: { type: "string" },
      url: { type: "string" },
      port: { type: "string" },
      data: { type: "string" },
    },
  });
  const user = userName(values.user);
  const { auth } = loadSecrets(dataPaths(dataFolder(values.data)));
  const base = values.url?.replace(/\/+$/, "") ?? baseUrl("127.0.0.1", portNumber(values.port));
  console.log(await signInLink(auth, user, base));
}
