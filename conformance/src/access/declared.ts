import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { ROOT } from "../product.ts";

const declared = z.object({
  app: z.object({ routes: z.array(z.object({ method: z.string(), path: z.string() })) }),
});

/** The routes that the worker's app declares; what it says of any method is middleware, or that a method is wrong. */
export async function declaredRoutes(): Promise<string[]> {
  const file = pathToFileURL(join(ROOT, "packages/worker/src/app.ts")).href;
  const { app } = declared.parse(await import(/* @vite-ignore */ file));
  const own = app.routes.filter(({ method }) => method !== "ALL").map(({ method, path }) => `${method} ${path}`);
  return [...new Set(own)];
}
