import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { build, type Rolldown } from "vite";
import { ROOT } from "./product.ts";

const HTML = '<!doctype html><title>Page</title><div id="root"></div><script type="module" src="/page.js"></script>';

type PageCode = {
  /** Modules by their names; the page begins with `entry`. */
  modules: Record<string, string> & { entry: string };
  /** Which file each of these packages is. */
  packages: Record<string, string>;
};

export type ServedPage = { origin: string; close: () => void };

/** A page of its own on a port of its own, with what the web app has installed but for the packages that are given. */
export async function servePage(code: PageCode): Promise<ServedPage> {
  const script = await bundle(code);
  const server = createServer((request, response) => {
    const isScript = request.url === "/page.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html; charset=utf-8");
    response.end(isScript ? script : HTML);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port.");
  return { origin: `http://127.0.0.1:${address.port}`, close: () => server.close() };
}

async function bundle({ modules, packages }: PageCode): Promise<string> {
  const built = await build({
    root: join(ROOT, "packages/client"),
    configFile: false,
    logLevel: "error",
    resolve: { alias: packages, dedupe: ["react", "react-dom"] },
    plugins: [
      {
        name: "page",
        resolveId: (id) => (id in modules ? idOf(id) : undefined),
        load: (id) => Object.entries(modules).find(([name]) => idOf(name) === id)?.[1],
      },
    ],
    build: { write: false, modulePreload: false, target: "es2024", rolldownOptions: { input: "entry" } },
  });
  if (!("output" in built)) throw new Error("The page is not one bundle.");
  const [page]: [Rolldown.OutputChunk, ...unknown[]] = built.output;
  for (const file of Object.values(packages)) {
    if (!page.moduleIds.includes(file)) throw new Error(`The page does without ${file}.`);
  }
  return page.code;
}

/** With a name that ends like one of React's files, what is in it is read as such. */
function idOf(name: string): string {
  return join(ROOT, "packages/client", `${name}.tsx`);
}
