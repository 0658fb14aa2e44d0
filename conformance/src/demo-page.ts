import { fileURLToPath } from "node:url";
import { type ServedPage, servePage } from "./served-page.ts";

const ENTRY = `
  import { createElement } from "react";
  import { createRoot } from "react-dom/client";
  import Page from "/src/demo/in-process-page.tsx";
  createRoot(document.getElementById("root")).render(createElement(Page));
`;

/** The web app's demo page alone, with another release of `@ai-sdk/react` than the app's own, by its URL. */
export function serveDemoPage(hook: string): Promise<ServedPage> {
  return servePage({ modules: { entry: ENTRY }, packages: { "@ai-sdk/react": fileURLToPath(hook) } });
}
