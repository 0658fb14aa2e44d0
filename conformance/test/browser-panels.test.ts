import { randomUUID } from "node:crypto";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { Api } from "../src/api.ts";
import { AppPage } from "../src/app-page.ts";
import { launchBrowser } from "../src/browser.ts";
import { StagedAgent } from "../src/staged-agent.ts";
import { fixTheTest } from "../src/staged-play.ts";

const product = inject("product");
const agent = `staged-${randomUUID().slice(0, 8)}`;
let browser: Browser;
let stage: StagedAgent;

beforeAll(async () => {
  [browser, stage] = await Promise.all([launchBrowser(), StagedAgent.join(product, agent, fixTheTest)]);
});
afterAll(async () => {
  stage?.leave();
  await browser?.close();
});

it("RUN9: what an agent changed, what a review found, its children, its models and its branch", async () => {
  const sessionId = await (await Api.of(product)).createSession({ agent });
  const app = await AppPage.signIn(browser, product, "alice");
  const { page } = app;
  await app.open(sessionId, "?panel=changes");
  await app.ask("Fix the flaky login test");
  await app.answered("so it fails whenever the session cookie is slow");
  await page.getByText("fix/flaky-login").first().waitFor();
  await page.getByRole("button", { name: "Model: Sonnet 5" }).waitFor();
  await app.composer.fill("/");
  await expect
    .poll(() => page.getByRole("option").allTextContents())
    .toEqual(["/plan [what]Thinks first and changes nothing", "/compactShortens what was said so far"]);
  await page.keyboard.press("Enter");
  expect(await app.composer.inputValue()).toBe("/plan ");

  const panel = page.getByTestId("side-panel");
  await expect.poll(() => panel.getByTestId("file-changes").count()).toBe(2);
  const first = panel.getByTestId("file-changes").first();
  expect(await first.textContent()).toContain("waitForURL");
  await first.locator(".hljs-keyword").first().waitFor();

  await panel.getByRole("tab", { name: "Review" }).click();
  await panel.getByRole("button", { name: "Review the changes" }).click();
  await expect.poll(() => panel.getByTestId("finding").count()).toBe(2);
  expect(await panel.getByTestId("finding").first().textContent()).toContain("tests/support/sign-in.ts:8");

  await panel.getByRole("tab", { name: "Child sessions" }).click();
  await panel.getByText("Find other fixed waits").waitFor();
  await page.reload();
  await page.getByTestId("side-panel").getByText("Find other fixed waits").waitFor();
  await app.answered("so it fails whenever the session cookie is slow");
  expect(app.complaints).toEqual([]);
});

it("OPT1: a model is chosen for the next message, through the AI SDK too", async () => {
  const sessionId = await (await Api.of(product)).createSession({ agent });
  const app = await AppPage.signIn(browser, product, "alice");
  const { page } = app;
  await app.open(sessionId);
  await app.ask("First");
  await app.answered("so it fails whenever the session cookie is slow");
  await page.getByRole("button", { name: "More about this session" }).click();
  await page.getByRole("menuitem", { name: "Use the AI SDK’s useChat" }).click();
  await page.getByTestId("ai-panel").getByText("so it fails").waitFor();
  await page.getByRole("button", { name: "Model: Sonnet 5" }).click();
  await page.getByRole("menuitemradio", { name: /Haiku 5/ }).click();
  await app.ask("Second");
  await expect.poll(() => stage.heard.findLast(({ text }) => text === "Second")?.model).toBe("haiku");
  expect(app.complaints).toEqual([]);
  await app.close();
});

it("a page that a tool made is shown without any rights, once its card is opened", async () => {
  const html = `<h1>Sales</h1><img src="${product.url}/healthz?leak">`;
  const resource = { uri: "ui://sales", mimeType: "text/html", text: html };
  const call = { type: "message.part.tool-update", callId: "c1", toolName: "chart", status: "completed", args: {} };
  const charts = await StagedAgent.join(product, `${agent}-charts`, {
    prompt: ({ turnId }) => [
      { type: "message.create", turnId },
      { ...call, turnId, result: { content: [{ type: "resource", resource }] } },
      { type: "message.finalize", turnId, reason: "end_turn" },
    ],
  });
  const app = await AppPage.signIn(browser, product, "alice");
  const { page } = app;
  const reached: string[] = [];
  page.on("response", (response) => reached.push(response.url()));
  await app.open(await (await Api.of(product)).createSession({ agent: `${agent}-charts` }));
  await app.ask("Draw it");
  await app.tools("completed").waitFor();
  expect(await page.locator("iframe").count()).toBe(0);
  await app.tools("completed").getByRole("button").first().click();
  await page.frameLocator("iframe").getByRole("heading", { name: "Sales" }).waitFor();
  expect(await page.locator("iframe").getAttribute("sandbox")).toBe("");
  await expect.poll(() => app.complaints).toEqual([expect.stringContaining("Content Security Policy")]);
  expect(reached.filter((url) => url.includes("leak"))).toEqual([]);
  await app.close();
  charts.leave();
});

it("markdown: code is coloured, tables are tables, and nothing of it is markup of the page", async () => {
  const sessionId = await (await Api.of(product)).createSession({ agent });
  const app = await AppPage.signIn(browser, product, "alice");
  await app.open(sessionId);
  await app.ask("Fix it");
  const answer = app.answers.first();
  await answer.locator("pre .hljs-keyword").first().waitFor();
  expect(await answer.getByRole("table").getByRole("row").count()).toBe(3);
  expect(await answer.locator("strong").first().textContent()).toBe("fixed 200 ms");
  expect(app.complaints).toEqual([]);
});
