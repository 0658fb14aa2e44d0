import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Api } from "../src/api.ts";
import { AppPage } from "../src/app-page.ts";
import { violations } from "../src/axe.ts";
import { launchBrowser } from "../src/browser.ts";
import { ForeignPage } from "../src/foreign-page.ts";
import { growHistory } from "../src/grow-history.ts";
import { type PageSpeed, readSpeed, watchSpeed } from "../src/page-speed.ts";
import { Product } from "../src/product.ts";

const MESSAGES = 5_000;
const DELTAS = 2_000;
const DELTAS_PER_SECOND = 200;
/** What a person notices. */
const LONG_TASK_MS = 100;

let browser: Browser;
let product: Product;
let shop: ForeignPage;
let sessionId: string;

beforeAll(async () => {
  [shop, product] = await Promise.all([ForeignPage.open(), Product.start()]);
  const api = await Api.of(product);
  sessionId = await api.createSession();
  for (const prompt of ["Hello", "/think", "/tools 2", "/help"]) await (await api.chat(sessionId, prompt)).text();
  await product.stop();
  growHistory(product.data, sessionId, MESSAGES);
  [browser, product] = await Promise.all([launchBrowser(), Product.start({ CORS_ORIGINS: shop.origin }, product.data)]);
});
afterAll(async () => {
  await browser?.close();
  shop?.close();
  await product?.destroy();
});

function tooLong({ longTasksMs }: PageSpeed): number[] {
  return longTasksMs.filter((ms) => ms > LONG_TASK_MS);
}

function print(what: string, figures: object): void {
  console.warn(`${what}: ${JSON.stringify(figures)}`);
}

it(`LOG10: a session with ${MESSAGES} messages opens at its end and scrolls smoothly to its beginning`, async () => {
  const app = await AppPage.signIn(browser, product, "alice");
  const { page } = app;
  const start = performance.now();
  await app.open(sessionId);
  await app.answers.last().waitFor();
  const openedMs = Math.round(performance.now() - start);
  await watchSpeed(page);
  const list = page.getByTestId("messages");
  const beginning = page.getByText("This is where it began");
  const scroll = performance.now();
  while (!(await beginning.isVisible())) {
    await list.evaluate((box) => box.scrollBy(0, -Math.max(box.scrollTop - 100, 3_000)));
    await page.waitForTimeout(16);
  }
  const speed = await readSpeed(page);
  const nodes = await page.locator("[data-testid=messages] *").count();
  print(`${MESSAGES} messages`, { openedMs, scrolledMs: Math.round(performance.now() - scroll), nodes, ...speed });
  expect(nodes).toBeLessThan(5_000);
  const api = await Api.of(product);
  await (await api.chat(sessionId, "And now?")).text();
  await page.getByRole("button", { name: "New messages" }).click();
  await app.answered("And now?");
  expect(tooLong(speed)).toEqual([]);
  expect(app.complaints).toEqual([]);
  await app.close();
});

it(`${DELTAS} deltas, ${DELTAS_PER_SECOND} a second, draw smoothly, and no slower at the end than at the beginning`, async () => {
  const app = await AppPage.signIn(browser, product, "alice");
  await app.begin(`/stream ${DELTAS} ${1_000 / DELTAS_PER_SECOND}`);
  const [first, second] = [await halfOf(app, `t${DELTAS / 2} `), await halfOf(app, `t${DELTAS - 1} `)];
  print(`${DELTAS} deltas`, { first, second });
  expect([...tooLong(first), ...tooLong(second)]).toEqual([]);
  expect(second.medianFrameMs).toBeLessThan(Math.max(first.medianFrameMs * 2, 50));
  expect(app.complaints).toEqual([]);
  await app.close();
});

async function halfOf(app: AppPage, word: string): Promise<PageSpeed> {
  await watchSpeed(app.page);
  await app.page.waitForFunction(
    (text) => document.querySelector("[data-testid=agent-message]")?.textContent?.includes(text),
    word,
    { polling: 100 },
  );
  return readSpeed(app.page);
}

it("LOG5: kill -9 of workerd mid-turn, and the page recovers by itself with the whole text", async () => {
  const app = await AppPage.signIn(browser, product, "alice");
  await app.begin("/stream 1500 2");
  await app.answers.filter({ hasText: "t300 " }).waitFor();
  process.kill(product.workerdPid(), "SIGKILL");
  await app.answered("t1499");
  const words = (await app.answers.textContent())?.match(/t\d+/g);
  expect(words).toEqual(Array.from({ length: 1500 }, (_, index) => `t${index}`));
  await app.ask("Still here?");
  await app.answered("Still here?");
  // The browser itself reports connections that were refused while the server was away; the page has nothing to add.
  expect(app.complaints.filter((text) => !/ERR_|WebSocket connection|status of 5/.test(text))).toEqual([]);
  await app.close();
});

it("ACL11: one script tag puts a session's chat on another page, where a visitor asks and cannot approve", async () => {
  const owner = await Api.of(product);
  const session = await owner.createSession();
  const made = await owner.request("POST", `/api/sessions/${session}/widget-tokens`, { origin: shop.origin });
  const { token } = await made.json();
  const attributes = `data-session="${session}" data-token="${token}" data-title="Ask the shop"`;
  shop.body = `<script src="${product.url}/widget.js" ${attributes}></script>`;
  const visitor = await AppPage.visit(browser, product);
  const { page } = visitor;
  await page.goto(shop.origin);
  await page.getByRole("button", { name: "Open the chat" }).click();
  const chat = page.getByRole("dialog", { name: "Ask the shop" });
  await chat.getByRole("textbox", { name: "Your message" }).fill("Is it open on Sundays?");
  await chat.getByRole("textbox", { name: "Your message" }).press("Enter");
  await visitor.answered("Is it open on Sundays?");
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page), colorScheme).toEqual([]);
  }
  await page.reload();
  await page.getByRole("button", { name: "Open the chat" }).click();
  await visitor.answered("Is it open on Sundays?");
  await chat.getByRole("textbox", { name: "Your message" }).fill("/approve");
  await chat.getByRole("textbox", { name: "Your message" }).press("Enter");
  await visitor.question.getByText("Somebody who may answer has to.").waitFor();
  expect(await visitor.question.getByRole("button").count()).toBe(0);
  expect(visitor.complaints).toEqual([]);
  await visitor.close();
});
