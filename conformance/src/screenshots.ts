import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { Api } from "./api.ts";
import { AppPage, DESK, PHONE } from "./app-page.ts";
import { launchBrowser } from "./browser.ts";
import { ForeignPage } from "./foreign-page.ts";
import { Product, ROOT } from "./product.ts";
import { StagedAgent } from "./staged-agent.ts";
import { fixTheTest } from "./staged-play.ts";

const FOLDER = join(ROOT, "docs/screenshots");
/** The one that the README shows. */
const BEST = { screen: "changes", to: join(ROOT, "docs/agent-ops.png") };
const AGENT = "coder";
const USER = "maya";
const GUESTS = ["noah", "ines"];
const OTHERS = ["Upgrade to React 19", "Why is the build slow?", "Tidy the release script"];

type Scene = { product: Product; shop: ForeignPage; work: string; ask: string; form: string; empty: string };
type Screen = (app: AppPage, scene: Scene) => Promise<unknown>;

const SCREENS: Record<string, Screen> = {
  home: (app) => app.page.getByText("Go on with").waitFor(),
  "new-session": async ({ page }, { product }) => {
    await page.goto(product.url);
    await page.getByRole("button", { name: "Choose agent, workspace and model" }).click();
    await page.getByRole("button", { name: "Start session" }).waitFor();
  },
  empty: async (app, { empty }) => {
    await app.open(empty);
    await app.page.getByRole("heading", { name: "What should the agent do?" }).waitFor();
  },
  session: async (app, { work }) => {
    await app.open(work);
    await app.page.locator(".hljs-keyword").first().waitFor();
  },
  approval: async (app, { ask }) => {
    await app.open(ask);
    await app.question.waitFor();
  },
  form: async (app, { form }) => {
    await app.open(form);
    await app.question.waitFor();
  },
  changes: async (app, { ask }) => {
    await app.open(ask, "?panel=changes");
    await app.page.getByTestId("file-changes").locator(".hljs-keyword").first().waitFor();
  },
  review: async (app, { work }) => {
    await app.open(work, "?panel=review");
    await app.page.getByTestId("finding").first().waitFor();
  },
  children: async (app, { work }) => {
    await app.open(work, "?panel=children");
    await app.page.getByText("Find other fixed waits").waitFor();
  },
  people: async (app, { work }) => {
    await app.open(work, "?panel=people");
    await app.page.getByTestId("member").nth(1).waitFor();
  },
  audit: async (app, { work }) => {
    await app.open(work, "?panel=audit");
    await app.page.getByTestId("audit-entry").first().waitFor();
  },
  settings: async ({ page }, { product }) => {
    await page.goto(`${product.url}/settings`);
    await page.getByText("Good until").first().waitFor();
  },
  palette: async ({ page }, { product }) => {
    await page.goto(product.url);
    await page.getByText("Go on with").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("option").first().waitFor();
  },
  widget: async ({ page }, { shop }) => {
    await page.goto(shop.origin);
    await page.getByRole("button", { name: "Open the chat" }).click();
    await page.getByRole("dialog").getByText("You said").waitFor();
  },
  "no-access": async ({ page }, { product }) => {
    await page.goto(`${product.url}/sessions/ses_0`);
    await page.getByRole("heading", { name: "This session is not here" }).waitFor();
  },
};

/** Sessions as somebody has them who works with the product. */
async function setTheScene(product: Product, shop: ForeignPage): Promise<Scene> {
  const api = await Api.of(product, USER);
  for (const title of OTHERS) await api.createSession({ title });
  const form = await api.createSession({ title: "Order lunch for the team" });
  const empty = await api.createSession({ title: "Untitled" });
  const work = await api.createSession({ agent: AGENT, title: "Fix the flaky login test" });
  const ask = await api.createSession({ agent: AGENT, title: "Ship the login fix" });
  const prompt = "The login test fails now and then in CI. Find out why, fix it, and tell me what was wrong.";
  for (const id of [work, ask]) await (await api.chat(id, prompt)).text();
  await detached(api, ask, "Good. Please publish it.");
  await detached(api, form, "/form");
  for (const id of [work, ask]) {
    for (const name of GUESTS) await api.request("PUT", `/api/sessions/${id}/members/${name}`, { role: "viewer" });
  }
  await api.request("POST", "/api/tokens", { name: "Nightly checks", days: 90 });
  await askForReview(api, work);
  await putWidgetOn(shop, api);
  return { product, shop, work, ask, form, empty };
}

async function putWidgetOn(shop: ForeignPage, api: Api): Promise<void> {
  const sessionId = await api.createSession({ title: "Questions of the shop" });
  await (await api.chat(sessionId, "Are you open on Sundays?")).text();
  const made = await api.request("POST", `/api/sessions/${sessionId}/widget-tokens`, { origin: shop.origin });
  const { token } = await made.json();
  const attributes = `data-session="${sessionId}" data-token="${token}" data-title="Ask the shop"`;
  shop.body = `<script src="${api.url}/widget.js" ${attributes}></script>`;
}

/** A turn that goes on without its asker. */
async function detached(api: Api, sessionId: string, text: string): Promise<void> {
  const body = { messages: [{ role: "user", content: text }], onDisconnect: "detach" };
  await (await api.request("POST", `/api/sessions/${sessionId}/chat`, body)).body?.cancel();
}

async function askForReview(api: Api, sessionId: string): Promise<void> {
  const url = `${api.url.replace("http", "ws")}/api/sessions/${sessionId}/ws?ticket=${await api.ticket(sessionId)}`;
  const socket = new WebSocket(url);
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.onopen = () => socket.send(JSON.stringify({ type: "review", requestId: "for-the-picture" }));
  socket.onmessage = ({ data }) => {
    if (String(data).includes("review-result")) resolve();
  };
  await promise;
  socket.close();
}

async function shoot(
  browser: Browser,
  scene: Scene,
  scheme: "light" | "dark",
  device: "desk" | "phone",
): Promise<void> {
  const look = device === "desk" ? { viewport: DESK } : { viewport: PHONE, deviceScaleFactor: 2, isMobile: true };
  const options = { ...look, colorScheme: scheme };
  const save = (app: AppPage, name: string) =>
    app.page.screenshot({ path: join(FOLDER, `${name}-${scheme}-${device}.png`) });
  const outside = await AppPage.visit(browser, scene.product, options);
  await outside.page.goto(scene.product.url);
  await outside.page.getByRole("heading", { name: "Sign in to Agent Ops" }).waitFor();
  await save(outside, "sign-in");
  await outside.close();
  const app = await AppPage.signIn(browser, scene.product, USER, options);
  for (const [name, go] of Object.entries(SCREENS)) {
    await go(app, scene);
    await app.page.evaluate(() => document.fonts.ready);
    await save(app, name);
  }
  await app.close();
}

async function main(): Promise<void> {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const shop = await ForeignPage.open();
  const [browser, product] = await Promise.all([launchBrowser(), Product.start({ CORS_ORIGINS: shop.origin })]);
  const stage = await StagedAgent.join(product, AGENT, fixTheTest);
  try {
    const scene = await setTheScene(product, shop);
    for (const name of GUESTS) await (await AppPage.signIn(browser, product, name)).open(scene.ask);
    for (const scheme of ["light", "dark"] as const) {
      for (const device of ["desk", "phone"] as const) await shoot(browser, scene, scheme, device);
    }
    copyFileSync(join(FOLDER, `${BEST.screen}-light-desk.png`), BEST.to);
  } finally {
    stage.leave();
    shop.close();
    await browser.close();
    await product.destroy();
  }
}

await main();
