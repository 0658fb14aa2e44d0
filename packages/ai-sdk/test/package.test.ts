import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { checkPackage, Package } from "@arethetypeswrong/core";
import { publint } from "publint";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { buildPackage } from "../scripts/build.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const ROOT = resolve(import.meta.dirname, "../../..");
const NAME = "@agent-ops/ai-sdk";
const folder = mkdtempSync(join(tmpdir(), "agent-ops-package-"));
const installed = join(folder, "node_modules", NAME);

beforeAll(() => buildPackage(installed));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function files(ending: string): string[] {
  return readdirSync(installed).filter((file) => file.endsWith(ending));
}

function read(file: string): string {
  return readFileSync(join(installed, file), "utf8");
}

/** The bytes of a page that imports this, minified, as they travel. */
async function bundle(code: string): Promise<{ code: string; gzip: number }> {
  const input = join(folder, "page.js");
  writeFileSync(input, code);
  const outputs = await build({
    root: folder,
    configFile: false,
    logLevel: "error",
    build: {
      write: false,
      target: "es2022",
      modulePreload: false,
      rolldownOptions: { input, preserveEntrySignatures: "strict" },
    },
  });
  if (!("output" in outputs)) throw new Error("not one page");
  const page = outputs.output[0].code;
  return { code: page, gzip: gzipSync(page).length };
}

describe("INP14 the package as it is published", () => {
  test("INP14 publint finds nothing to say", async () => {
    const { messages } = await publint({ pkgDir: installed, pack: false, strict: true });
    expect(messages.filter(({ type }) => type !== "suggestion")).toEqual([]);
  });

  test("INP14 its types resolve wherever ESM does", async () => {
    const content = Object.fromEntries(
      readdirSync(installed).map((file) => [`/node_modules/${NAME}/${file}`, read(file)]),
    );
    const result = await checkPackage(new Package(content, NAME, "0.1.0"));
    if (!result.types) throw new Error("no types");
    const problems = result.problems.filter((problem) => {
      const old = "resolutionKind" in problem ? problem.resolutionKind : undefined;
      return old !== "node10" && old !== "node16-cjs";
    });
    expect(problems).toEqual([]);
    expect(Object.keys(result.entrypoints)).toEqual(
      expect.arrayContaining([".", "./runtime-events", "./event-transform"]),
    );
  });

  test("INP14 it needs no other package, `ai` neither", () => {
    const { dependencies, peerDependenciesMeta } = JSON.parse(read("package.json"));
    expect(dependencies).toBeUndefined();
    expect(peerDependenciesMeta).toEqual({ ai: { optional: true } });
    const specifiers = [...files(".js"), ...files(".d.ts")].flatMap((file) =>
      [...read(file).matchAll(/(?:from|import)\s*\(?"([^"]+)"/g)].map((match) => match[1] ?? ""),
    );
    expect(specifiers.filter((specifier) => !/^\.\/[\w-]+\.js$/.test(specifier))).toEqual([]);
  });

  test("INP14 its declarations hold by themselves", () => {
    const names = ["", "/runtime-events", "/event-transform"];
    const code = names.map((name, at) => `export * as part${at} from "${NAME}${name}";`).join("\n");
    mkdirSync(join(folder, "consumer"), { recursive: true });
    cpSync(join(folder, "node_modules"), join(folder, "consumer/node_modules"), { recursive: true });
    writeFileSync(join(folder, "consumer/index.ts"), code);
    const compilerOptions = { strict: true, noEmit: true, module: "NodeNext", skipLibCheck: false, types: [] };
    writeFileSync(join(folder, "consumer/tsconfig.json"), JSON.stringify({ compilerOptions, files: ["index.ts"] }));
    writeFileSync(join(folder, "consumer/package.json"), JSON.stringify({ type: "module" }));
    const tsc = join(ROOT, "node_modules/.bin/tsc");
    execFileSync(process.execPath, [tsc, "-p", join(folder, "consumer")], { stdio: "pipe" });
  });

  test("INP14 it is small, and what is not used is not carried", async () => {
    const transport = await bundle(`export { createRuntimeTransport } from "${NAME}";`);
    const transform = await bundle(`export { createEventTransform } from "${NAME}/event-transform";`);
    const nothing = await bundle(`import "${NAME}"; import "${NAME}/event-transform"; export const page = 1;`);
    expect(transport.gzip).toBeLessThan(6 * 1024);
    expect(transform.gzip).toBeLessThan(512);
    expect(nothing.gzip).toBeLessThan(64);
    expect(transport.code).not.toContain("tool-approval-request");
  });
});
