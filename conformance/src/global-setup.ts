import type { TestProject } from "vitest/node";
import { WIDGET_ORIGIN } from "./access/identities.ts";
import { Product } from "./product.ts";

declare module "vitest" {
  interface ProvidedContext {
    product: { url: string; data: string };
  }
}

/** One product for all tests that do not break it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const product = await Product.start({ ACTS_PER_SECOND: "100000", CORS_ORIGINS: WIDGET_ORIGIN });
  project.provide("product", { url: product.url, data: product.data });
  return () => product.destroy();
}
