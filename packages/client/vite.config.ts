import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const worker = "http://127.0.0.1:8787";

export default defineConfig({
  plugins: [react(), tailwindcss()],
  // One zod for the page: npm gives each workspace its own copy, and `zod-setup.ts` must reach them all.
  resolve: { dedupe: ["zod"] },
  server: { proxy: { "/api": { target: worker, ws: true } } },
  build: { target: "es2024", outDir: "dist", emptyOutDir: true, modulePreload: { polyfill: false } },
});
