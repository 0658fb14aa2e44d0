import { defineConfig } from "vite";

/** The worker as one module that workerd loads. */
export default defineConfig({
  build: {
    ssr: "src/index.ts",
    outDir: "dist",
    target: "es2024",
    minify: false,
    rollupOptions: { external: [/^cloudflare:/], output: { entryFileNames: "worker.js" } },
  },
  resolve: { dedupe: ["zod"] },
  ssr: { target: "webworker", noExternal: true },
  logLevel: "warn",
});
