import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";

const PACKAGE = resolve(import.meta.dirname, "..");
const ROOT = resolve(PACKAGE, "../..");

/** What is published, by the name it is imported under. */
const ENTRIES = {
  ".": "runtime-transport",
  "./runtime-events": "runtime-events",
  "./event-transform": "event-transform",
};

/** The one type that comes from another package of ours goes along as a file of its own. */
const SHARED = { specifier: "@agent-ops/shared/ai-sdk", file: "shared/src/types/ai-sdk", as: "ui-chunk" };

/** Writes the package as it is published, which needs no other package of ours, into a folder of its own. */
export function buildPackage(target: string): void {
  const draft = mkdtempSync(join(tmpdir(), "agent-ops-build-"));
  try {
    compile(draft);
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
    for (const file of readdirSync(join(draft, "out/ai-sdk/src"))) copyModule(draft, target, file);
    copyFileSync(join(draft, "out", `${SHARED.file}.d.ts`), join(target, `${SHARED.as}.d.ts`));
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  copyFileSync(join(PACKAGE, "README.md"), join(target, "README.md"));
  copyFileSync(join(ROOT, "LICENSE"), join(target, "LICENSE"));
  writeFileSync(join(target, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`);
}

function compile(draft: string): void {
  const config = {
    extends: join(PACKAGE, "tsconfig.json"),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      target: "ES2022",
      rootDir: join(ROOT, "packages"),
      outDir: join(draft, "out"),
    },
    files: [...Object.values(ENTRIES).map((name) => `ai-sdk/src/${name}`), SHARED.file].map((name) =>
      join(ROOT, `packages/${name}.ts`),
    ),
    include: [],
  };
  writeFileSync(join(draft, "tsconfig.json"), JSON.stringify(config));
  execFileSync(process.execPath, [join(ROOT, "node_modules/.bin/tsc"), "-p", draft], { stdio: "inherit" });
}

/** The compiler leaves the specifiers of declarations as they were written. */
function copyModule(draft: string, target: string, file: string): void {
  const text = readFileSync(join(draft, "out/ai-sdk/src", file), "utf8");
  const rewritten = text.replaceAll(SHARED.specifier, `./${SHARED.as}.js`).replaceAll(/"(\.\/[\w-]+)\.ts"/g, '"$1.js"');
  writeFileSync(join(target, file), rewritten);
}

function manifest(): object {
  const { name, version, description, license, type, sideEffects, peerDependencies, peerDependenciesMeta } = JSON.parse(
    readFileSync(join(PACKAGE, "package.json"), "utf8"),
  );
  const exports = Object.fromEntries(
    Object.entries(ENTRIES).map(([path, file]) => [path, { types: `./${file}.d.ts`, default: `./${file}.js` }]),
  );
  return {
    ...{ name, version, description, license, type, sideEffects },
    exports: { ...exports, "./package.json": "./package.json" },
    files: ["*.js", "*.d.ts"],
    ...{ peerDependencies, peerDependenciesMeta },
  };
}

if (process.argv[1] && basename(process.argv[1]) === basename(import.meta.filename))
  buildPackage(join(PACKAGE, "dist"));
