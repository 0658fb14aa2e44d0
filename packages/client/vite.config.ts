import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { build, defineConfig, type InlineConfig, type Plugin } from "vite";

const worker = "http://127.0.0.1:8787";
const target = "es2024";
/** One zod for the page: npm gives each workspace its own copy, and `zod-setup.ts` must reach them all. */
const dedupe = ["zod"];
/** A schema looks at zod's settings when it is made, so whatever file it lands in has to find them made. */
const zodFirst = { name: "zod", test: /\/zod-setup\.ts$|\/node_modules\/zod\// };
const local = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** One classic script: a page of another origin can load it without any header from us. */
const widgetConfig: InlineConfig = {
  root: local("."),
  configFile: false,
  logLevel: "warn",
  plugins: [react(), tailwindcss()],
  define: { "process.env.NODE_ENV": '"production"' },
  resolve: {
    dedupe,
    alias: [{ find: /^.*\/lib\/highlighter\.ts$/, replacement: local("src/widget/plain-highlighter.ts") }],
  },
  build: {
    target,
    outDir: "dist",
    emptyOutDir: false,
    copyPublicDir: false,
    lib: { entry: local("src/widget/script.tsx"), formats: ["iife"], name: "AgentOps", fileName: () => "widget.js" },
  },
};

function widget(): Plugin {
  return {
    name: "agent-ops-widget",
    apply: "build",
    async closeBundle() {
      await build(widgetConfig);
    },
  };
}

const KEPT_MS = 24 * 60 * 60 * 1000;

/** Pages that are open go on with the parts of the build they came from; those are kept for a day. */
function forgetOldParts(): Plugin {
  return {
    name: "agent-ops-old-parts",
    apply: "build",
    buildStart() {
      const folder = local("dist/assets");
      if (!existsSync(folder)) return;
      for (const name of readdirSync(folder)) {
        const file = join(folder, name);
        if (Date.now() - statSync(file).mtimeMs > KEPT_MS) rmSync(file);
      }
    },
  };
}

export default defineConfig(({ command }) => {
  // Whoever builds, be it a test, builds what people get.
  if (command === "build") process.env.NODE_ENV = "production";
  return {
    plugins: [react(), tailwindcss(), forgetOldParts(), widget()],
    resolve: { dedupe },
    server: { proxy: { "/api": { target: worker, ws: true } } },
    build: {
      target,
      outDir: "dist",
      emptyOutDir: false,
      modulePreload: { polyfill: false },
      rolldownOptions: { output: { codeSplitting: { groups: [zodFirst] } } },
    },
  };
});
