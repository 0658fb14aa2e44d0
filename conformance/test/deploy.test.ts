import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { mintToken } from "@agent-ops/cli/tokens";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CloudflareApi } from "../src/cloudflare-api.ts";
import { Offline } from "../src/offline.ts";
import { ROOT } from "../src/product.ts";

const MAX_BYTES = 1024 * 1024;
const MAX_COMPRESSED_BYTES = 256 * 1024;
const SECRETS = ["AUTH_SECRET", "ID_SECRET"];

const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const config = JSON.parse(read("packages/worker/wrangler.jsonc").replace(/^\s*\/\/.*$/gm, ""));
const bindings: { name: string; class_name: string }[] = config.durable_objects.bindings;
const classes = bindings.map(({ class_name }) => class_name);

let offline: Offline;

beforeEach(() => {
  offline = new Offline();
});
afterEach(() => {
  expect(offline.attempts()).toEqual([]);
  rmSync(offline.folder, { recursive: true });
});

async function deploy(options: string[], env: Record<string, string> = {}) {
  const program = join(ROOT, "packages/cli/src/main.ts");
  const done = promisify(execFile)(process.execPath, [program, "deploy", ...options], {
    env: { ...process.env, AGENT_OPS_DATA: join(offline.folder, "data"), ...offline.env, ...env },
  });
  return done.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

describe("a dry run", () => {
  it("makes a small module of what the tests run, without a network", async () => {
    const out = join(offline.folder, "out");
    expect(await deploy(["--dry-run", "--outdir", out])).toMatchObject({ code: 0 });
    const bundle = readFileSync(join(out, "worker.js"), "utf8");
    expect(bundle).toBe(read("packages/worker/dist/worker.js"));
    expect(importsOf(bundle)).toEqual(["cloudflare:workers"]);
    expect(exportsOf(bundle)).toEqual([...classes, "default"].toSorted());
    expect(Buffer.byteLength(bundle)).toBeLessThan(MAX_BYTES);
    expect(gzipSync(bundle).byteLength).toBeLessThan(MAX_COMPRESSED_BYTES);
  });
});

describe("a deployment", () => {
  it("is refused with a variable that the worker could not use, before anything is built or sent", async () => {
    const { code, stderr } = await deploy(["--var", "LOG:x:y", "--var", "CORS_ORIGINS:https://app.example.com/"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("CORS_ORIGINS has to be origins")]);
  });

  it("is refused while secrets are missing, and says which and how to set them", async () => {
    for (const has of [undefined, ["AUTH_SECRET"]]) {
      const api = await CloudflareApi.start(has);
      const { code, stderr } = await deploy([], api.env);
      api.stop();
      expect([code, api.uploads]).toEqual([2, []]);
      const named = [...stderr.matchAll(/wrangler -- secret put (\w+)$/gm)].map(([, name]) => name);
      expect(named).toEqual(SECRETS.filter((name) => !has?.includes(name)));
    }
  });

  it("--put-secrets sends those of this machine, and leaves no copy behind", async () => {
    const api = await CloudflareApi.start(undefined);
    const { code, stdout, stderr } = await deploy(["--put-secrets"], api.env);
    api.stop();
    const folder = join(offline.folder, "data/private");
    const { auth, id } = JSON.parse(readFileSync(join(folder, "secrets.json"), "utf8"));
    expect([code, api.uploads.length]).toEqual([0, 1]);
    expect(api.uploads[0]?.metadata).toMatchObject({
      compatibility_date: config.compatibility_date,
      compatibility_flags: config.compatibility_flags,
      migrations: { new_tag: "v1", steps: [{ new_sqlite_classes: classes }] },
      bindings: expect.arrayContaining([
        { name: "AUTH_SECRET", type: "secret_text", text: auth },
        { name: "ID_SECRET", type: "secret_text", text: id },
        ...bindings.map((binding) => ({ ...binding, type: "durable_object_namespace" })),
        { name: "ASSETS", type: "assets" },
      ]),
    });
    expect(api.uploads[0]?.form).toContain(read("packages/worker/dist/worker.js"));
    expect(existsSync(join(folder, "deploy-secrets.json"))).toBe(false);
    for (const secret of [auth, id]) expect(stdout + stderr).not.toContain(secret);
    expect(stdout).toMatch(/agent-ops -- link .*agent-ops -- runner /s);
  });

  it("with all secrets in place sends none, and keeps those that are there", async () => {
    const api = await CloudflareApi.start(SECRETS);
    const { code } = await deploy([], api.env);
    api.stop();
    expect(code).toBe(0);
    expect(api.uploads[0]?.metadata).toMatchObject({
      keep_bindings: expect.arrayContaining(["secret_text", "plain_text"]),
      bindings: expect.arrayContaining(SECRETS.map((name) => ({ name, type: "inherit" }))),
    });
    expect(api.uploads[0]?.form).not.toContain(`"secret_text","text"`);
  });

  it("asks somebody who is not signed in to do so", async () => {
    expect(await deploy([])).toMatchObject({ code: 2, stderr: expect.stringContaining("wrangler login") });
  });
});

describe("wrangler.jsonc", () => {
  const declared = [...read("packages/worker/src/env.ts").matchAll(/^ {2}([A-Z_]+)(\??): (.+);$/gm)];
  const env = declared.map(([, name, optional, type = ""]) => ({ name, required: optional === "", type }));

  it("binds what env.ts declares", () => {
    const actors = env.flatMap(({ name, type }) => {
      const [, actor] = /^DurableObjectNamespace<(\w+)>$/.exec(type) ?? [];
      return actor ? [{ name, class_name: actor }] : [];
    });
    expect(bindings).toEqual(actors);
    const texts = env.filter(({ type, required }) => type === "string" && required).map(({ name }) => name);
    expect(config.secrets.required).toEqual(texts);
    expect(env.map(({ name }) => name)).toContain(config.assets.binding);
  });

  it("has each actor's class in one migration, with SQLite", () => {
    const migrations: { tag: string; new_sqlite_classes?: string[] }[] = config.migrations;
    expect(migrations.flatMap(({ new_sqlite_classes = [] }) => new_sqlite_classes)).toEqual(classes);
    expect(new Set(migrations.map(({ tag }) => tag)).size).toBe(migrations.length);
  });

  it("names the same actors as the worker on one machine and under test", () => {
    const pairs = bindings.map(({ name, class_name }) => [name, class_name]);
    const host = read("packages/cli/src/worker-host.ts").matchAll(/(\w+): actor\("(\w+)"\)/g);
    const tests = read("vitest.config.ts").matchAll(/(\w+): \{ className: "(\w+)", useSQLite: true \}/g);
    for (const found of [host, tests]) expect([...found].map(([, name, actor]) => [name, actor])).toEqual(pairs);
  });

  it("has the compatibility date and flags that everything else has", () => {
    const files = globSync(["vitest.config.ts", "packages/*/src/**/*.ts"], { cwd: ROOT });
    const sources = files.map(read).filter((source) => source.includes("compatibilityDate"));
    expect(sources.length).toBeGreaterThanOrEqual(2);
    for (const source of sources) {
      expect(/compatibilityDate: "([^"]+)"/.exec(source)?.[1]).toBe(config.compatibility_date);
      expect(/compatibilityFlags: \["([^\]]+)"\]/.exec(source)?.[1]?.split(`", "`)).toEqual(config.compatibility_flags);
    }
  });

  it("docs/deploy.md explains every binding", () => {
    const rows = [...read("docs/deploy.md").matchAll(/^\| `([A-Z_]+)`/gm)].map(([, name]) => name);
    expect(rows.toSorted()).toEqual(env.map(({ name }) => name).toSorted());
  });

  it("runs: the page, and a session for whoever has a token", async () => {
    const secret = "a-secret-for-this-test-that-is-long-enough";
    const wrangler = spawnWrangler({ AUTH_SECRET: secret, ID_SECRET: secret });
    const url = await readyUrl(wrangler);
    const token = await mintToken(secret, "ann", { audience: "agent-ops", ttl: "1m" });
    const create = (authorization: string) =>
      fetch(`${url}/api/sessions`, { method: "POST", headers: { authorization }, body: `{"agent":"demo"}` });
    const page = await fetch(`${url}/sessions/anything`);
    expect([page.status, await page.text()]).toEqual([200, read("packages/client/dist/index.html")]);
    expect((await fetch(`${url}/assets/nothing.js`)).status).toBe(404);
    expect((await create("Bearer nonsense")).status).toBe(401);
    expect((await create(`Bearer ${token}`)).status).toBe(201);
    wrangler.kill("SIGTERM");
    await once(wrangler, "exit");
  });
});

/** The static imports of a module; it must have no others. */
function importsOf(module: string): string[] {
  expect(module).not.toMatch(/\bimport\(|\brequire\(/);
  return [...module.matchAll(/^import .*from "([^"]+)";$/gm)].map(([, name]) => name ?? "");
}

function exportsOf(module: string): string[] {
  const [, names = ""] = /^export \{(.+)\};$/m.exec(module) ?? [];
  return names.split(",").map((name) => name.replace(/.* as /, "").trim());
}

/** The worker as the configuration describes it, with Cloudflare's own asset server before it. */
function spawnWrangler(secrets: Record<string, string>): ChildProcess {
  const program = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
  const file = join(ROOT, "packages/worker/wrangler.jsonc");
  const place = ["--ip=127.0.0.1", "--port=0", "--inspector-port=0", `--persist-to=${offline.folder}`];
  const quiet = { WRANGLER_HIDE_BANNER: "true", WRANGLER_SEND_METRICS: "false", CLOUDFLARE_CF_FETCH_ENABLED: "false" };
  return spawn(process.execPath, [program, "dev", `--config=${file}`, ...place], {
    env: { ...process.env, ...offline.env, ...quiet, ...secrets },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

async function readyUrl({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error("No standard output.");
  for await (const line of createInterface(stdout)) {
    const [, url] = /Ready on (http:\S+)/.exec(line) ?? [];
    if (url) return url;
  }
  throw new Error("It ended before it was ready.");
}
