import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { ROOT } from "./product.ts";

const ENTRY = "virtual:demo-page";
const CODE = `
  import { createElement } from "react";
  import { createRoot } from "react-dom/client";
  import Page from "/src/demo/in-process-page.tsx";
  createRoot(document.getElementById("root")).render(createElement(Page));
`;
const HTML = '<!doctype html><title>Demo</title><div id="root"></div><script type="module" src="/page.js"></script>';

/** The web app's demo page alone, with another release of `@ai-sdk/react` than the app's own, by its URL. */
export async function serveDemoPage(hook: string): Promise<{ url: string; close: () => void }> {
  const code = await bundle(fileURLToPath(hook));
  const server = createServer((request, response) => {
    const script = request.url === "/page.js";
    response.setHeader("content-type", script ? "text/javascript" : "text/html; charset=utf-8");
    response.end(script ? code : HTML);
  });
  const url = await new Promise<string>((resolve, reject) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      if (address === null || typeof address === "string") reject(new Error("No port."));
      else resolve(`http://127.0.0.1:${address.port}/demo/in-process`);
    });
  });
  return { url, close: () => server.close() };
}

async function bundle(hook: string): Promise<string> {
  const built = await build({
    root: join(ROOT, "packages/client"),
    configFile: false,
    logLevel: "error",
    resolve: { alias: { "@ai-sdk/react": hook }, dedupe: ["react", "react-dom"] },
    plugins: [
      {
        name: "demo-page",
        resolveId: (id) => (id === ENTRY ? ENTRY : undefined),
        load: (id) => (id === ENTRY ? CODE : undefined),
      },
    ],
    build: { write: false, modulePreload: false, target: "es2024", rolldownOptions: { input: ENTRY } },
  });
  if (!("output" in built)) throw new Error("The page is not one bundle.");
  const [page] = built.output;
  if (!page.moduleIds.includes(hook)) throw new Error("The page has another hook.");
  return page.code;
}
