import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { Api } from "../src/api.ts";
import { AppPage, PHONE } from "../src/app-page.ts";
import { violations } from "../src/axe.ts";
import { launchBrowser } from "../src/browser.ts";
import { StagedAgent } from "../src/staged-agent.ts";
import { fixTheTest } from "../src/staged-play.ts";

const BUDGET_KB = 200;
const AGENT = "staged-for-axe";

const product = inject("product");
let browser: Browser;
let stage: StagedAgent;
let sessionId: string;

beforeAll(async () => {
  [browser, stage] = await Promise.all([launchBrowser(), StagedAgent.join(product, AGENT, fixTheTest)]);
  const api = await Api.of(product, "axel");
  sessionId = await api.createSession({ agent: AGENT, title: "Fix the flaky login test" });
  await (await api.chat(sessionId, "Fix the flaky login test")).text();
});
afterAll(async () => {
  stage?.leave();
  await browser?.close();
});

it(`the chat route loads less than ${BUDGET_KB} KB of compressed script`, async () => {
  const app = await AppPage.signIn(browser, product, "axel");
  const scripts: Promise<Buffer>[] = [];
  app.page.on("response", (response) => {
    const isPart = response.request().resourceType() === "script" && !response.url().includes("highlighter");
    if (isPart) scripts.push(response.body());
  });
  await app.open(sessionId);
  await app.answers.first().waitFor();
  await app.page.waitForLoadState("networkidle");
  const sizes = (await Promise.all(scripts)).map((body) => gzipSync(body).length);
  const total = Math.round(sizes.reduce((sum, size) => sum + size, 0) / 1024);
  console.warn(`script of the chat route: ${total} KB compressed, in ${sizes.length} files`);
  expect(total).toBeLessThan(BUDGET_KB);
  await app.close();
});

/** Every screen, and how to get there. */
const SCREENS: Record<string, (app: AppPage) => Promise<unknown>> = {
  home: (app) => app.page.getByRole("heading", { name: "What should we work on?" }).waitFor(),
  "new session": async (app) => {
    await app.page.getByRole("button", { name: "Choose agent, workspace and model" }).click();
    await app.page
      .getByRole("dialog", { name: "New session" })
      .getByRole("button", { name: "Start session" })
      .waitFor();
  },
  "no access": async (app) => {
    await app.page.goto(`${product.url}/sessions/ses_${"0".repeat(30)}`);
    await app.page.getByRole("heading", { name: "This session is not here" }).waitFor();
    // The refusal itself is what the browser reports.
    expect(app.complaints.splice(0).filter((text) => !text.includes("404"))).toEqual([]);
  },
  session: async (app) => {
    await app.open(sessionId);
    await app.answered("so it fails");
    await app.page.getByRole("button", { name: /Edit file/ }).click();
  },
  changes: async (app) => {
    await app.open(sessionId, "?panel=changes");
    await app.page.getByTestId("file-changes").first().waitFor();
  },
  review: async (app) => {
    await app.open(sessionId, "?panel=review");
    await app.page.getByText("Not reviewed yet").waitFor();
  },
  children: async (app) => {
    await app.open(sessionId, "?panel=children");
    await app.page.getByText("Find other fixed waits").waitFor();
  },
  people: async (app) => {
    await app.open(sessionId, "?panel=people");
    await app.page.getByTestId("member").first().waitFor();
  },
  audit: async (app) => {
    await app.open(sessionId, "?panel=audit");
    await app.page.getByTestId("audit-entry").first().waitFor();
  },
  settings: async (app) => {
    await app.page.goto(`${product.url}/settings`);
    await app.page.getByRole("heading", { name: "API tokens" }).waitFor();
  },
  empty: async (app) => {
    await app.open(await (await Api.of(product, "axel")).createSession());
    await app.page.getByRole("heading", { name: "What should the agent do?" }).waitFor();
  },
  question: async (app) => {
    await app.ask("/form");
    await app.question.getByRole("button", { name: "Submit" }).waitFor();
  },
  palette: async (app) => {
    await app.page.keyboard.press("Control+k");
    await app.page.getByRole("combobox", { name: "Search sessions and commands" }).waitFor();
  },
};

describe.each([
  { scheme: "light", device: "desk" },
  { scheme: "dark", device: "phone" },
] as const)("axe finds nothing in $scheme on a $device", ({ scheme, device }) => {
  const options = { colorScheme: scheme, bypassCSP: true, ...(device === "phone" ? { viewport: PHONE } : {}) };

  it("signed in", async () => {
    const app = await AppPage.signIn(browser, product, "axel", options);
    const found: string[] = [];
    for (const [name, go] of Object.entries(SCREENS)) {
      await go(app);
      found.push(...(await violations(app.page)).map((text) => `${name}: ${text}`));
    }
    expect([...found, ...app.complaints]).toEqual([]);
    await app.close();
  });

  it("signed out", async () => {
    const app = await AppPage.visit(browser, product, options);
    await app.page.goto(product.url);
    await app.page.getByRole("heading", { name: "Sign in to Agent Ops" }).waitFor();
    expect(await violations(app.page)).toEqual([]);
    await app.close();
  });
});
