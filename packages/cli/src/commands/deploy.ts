import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { z } from "zod";
import { buildIfStale } from "../build.ts";
import { dataFolder } from "../options.ts";
import { dataPaths, ROOT } from "../paths.ts";
import { loadSecrets } from "../secrets.ts";
import { readSettings } from "../settings.ts";
import { UsageError } from "../usage-error.ts";

export const help = `agent-ops deploy [options]

Builds the worker and the web page, and deploys both to Cloudflare. docs/deploy.md says what that needs.

  --put-secrets  send those secrets of this machine that the deployment lacks (from .agent-ops, or AGENT_OPS_DATA)
  --dry-run      build and check; nothing is sent

Any other option is wrangler's own, such as --name NAME or --var CORS_ORIGINS:https://app.example.com.`;

const CONFIG = join(ROOT, "packages/worker/wrangler.jsonc");
const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
/** No reports, and no look into the registry for a newer release. */
const QUIET = { WRANGLER_SEND_METRICS: "false", WRANGLER_SEND_ERROR_REPORTS: "false", WRANGLER_HIDE_BANNER: "true" };

const SECRET_NAMES = ["AUTH_SECRET", "ID_SECRET"] as const;
type SecretName = (typeof SECRET_NAMES)[number];

const secretList = z.array(z.object({ name: z.string() }));

const NEXT_STEPS = `
With the address above:
  npm run -s agent-ops -- link --user NAME --url ADDRESS        a link to sign in with
  npm run -s agent-ops -- token --runner HOST                   a token for a machine that runs agents
  npm run -s agent-ops -- runner --url ADDRESS --token TOKEN    on that machine`;

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    strict: false,
    options: { name: { type: "string" }, "dry-run": { type: "boolean" }, "put-secrets": { type: "boolean" } },
  });
  readSettings(Object.fromEntries(args.flatMap(variables)));
  const options = args.filter((arg) => arg !== "--put-secrets");
  if (values["dry-run"]) return deploy(options);
  const selection = values.name ? [`--name=${values.name}`] : [];
  const missing = await missingSecrets(selection);
  if (missing.length === 0) await deploy(options);
  else if (values["put-secrets"]) await deployWith(missing, options);
  else throw new UsageError(howToSet(missing, selection));
  console.log(NEXT_STEPS);
}

/** `--var NAME:VALUE`, and further pairs after it, as wrangler takes them. */
function variables(arg: string): [string, string][] {
  const { name, value } = /^(?:--var=)?(?<name>[A-Z_]+):(?<value>.*)$/s.exec(arg)?.groups ?? {};
  return name === undefined || value === undefined ? [] : [[name, value]];
}

async function deploy(options: string[]): Promise<void> {
  await buildIfStale();
  const child = spawn(process.execPath, wrangler("deploy", ...options), { env: quietEnv(), stdio: "inherit" });
  const code = await exitCode(child);
  if (code !== 0) throw new UsageError("Not deployed; the lines above say why.");
}

/** Secrets go with the upload: the worker never runs without them. */
async function deployWith(missing: SecretName[], options: string[]): Promise<void> {
  const paths = dataPaths(dataFolder(undefined));
  const { auth, id } = loadSecrets(paths);
  const own: Record<SecretName, string> = { AUTH_SECRET: auth, ID_SECRET: id };
  const file = join(paths.private, "deploy-secrets.json");
  writeFileSync(file, JSON.stringify(Object.fromEntries(missing.map((name) => [name, own[name]]))), { mode: 0o600 });
  try {
    await deploy([...options, `--secrets-file=${file}`]);
  } finally {
    rmSync(file);
  }
}

/** What the deployment lacks. One that does not exist yet lacks everything. */
async function missingSecrets(selection: string[]): Promise<SecretName[]> {
  const child = spawn(process.execPath, wrangler("secret", "list", ...selection), { env: quietEnv() });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exitCode(child)]);
  if (code !== 0 && !/Worker ".*" not found/.test(stderr)) {
    throw new UsageError(`${stderr.trim()}\n\nNot deployed. To sign in: npx wrangler login`);
  }
  const names = code === 0 ? secretList.parse(JSON.parse(stdout)).map(({ name }) => name) : [];
  return SECRET_NAMES.filter((name) => !names.includes(name));
}

function howToSet(missing: SecretName[], selection: string[]): string {
  const put = ["npm run -w @agent-ops/worker wrangler -- secret put", ...selection].join(" ");
  return `Not deployed: the deployment has no ${missing.join(" and no ")}.

To send those of this machine, so that its \`agent-ops link\` and \`agent-ops token\` count there:
  npm run deploy -- ${[...selection, "--put-secrets"].join(" ")}
To set others, of 32 random bytes or more:
${missing.map((name) => `  ${put} ${name}`).join("\n")}`;
}

function wrangler(...args: string[]): string[] {
  return [WRANGLER, ...args, `--config=${CONFIG}`];
}

function quietEnv(): NodeJS.ProcessEnv {
  return { ...process.env, ...QUIET };
}

async function exitCode(child: ChildProcess): Promise<number | null> {
  const [code] = await once(child, "exit");
  return code;
}
