import { signInLink } from "@agent-ops/cli/tokens";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { AppPage } from "../src/app-page.ts";
import { violations } from "../src/axe.ts";
import { launchBrowser } from "../src/browser.ts";
import { CountingServer } from "../src/counting-server.ts";
import { IdentityProvider } from "../src/identity-provider.ts";
import { Product } from "../src/product.ts";
import { readSecrets } from "../src/secrets.ts";

const plain = inject("product");
let browser: Browser;
let provider: IdentityProvider;
let counting: CountingServer;
/** With an identity provider, and with a server that counts. */
let product: Product;

beforeAll(async () => {
  [provider, counting, browser] = await Promise.all([IdentityProvider.start(), CountingServer.open(), launchBrowser()]);
  await provider.addKey("key", "ES256");
  const env = { JWKS_URL: provider.url, POSTHOG_KEY: "phc_test", POSTHOG_HOST: counting.origin };
  product = await Product.start(env);
});
afterAll(async () => {
  await browser?.close();
  await product?.destroy();
  provider?.stop();
  counting?.close();
});

/** The servers that a page calls, its own included. */
function watchOrigins({ page }: AppPage): Set<string> {
  const origins = new Set<string>();
  page.on("request", (request) => origins.add(new URL(request.url()).origin));
  page.on("websocket", (socket) => origins.add(new URL(socket.url()).origin.replace(/^ws/, "http")));
  return origins;
}

async function connectSources({ url }: { url: string }): Promise<string | undefined> {
  const policy = (await fetch(url)).headers.get("content-security-policy") ?? "";
  return /connect-src ([^;]*)/.exec(policy)?.[1];
}

async function converse(app: AppPage, words: string): Promise<void> {
  await app.begin(words);
  await app.answered(words);
  await app.ask("/approve");
  await app.question.getByRole("button", { name: "Approve", exact: true }).click();
  await app.answered("approved.txt is there now");
}

it("TEL1: without a key the page calls no server but its own", async () => {
  expect(await (await fetch(`${plain.url}/api/settings`)).json()).toEqual({ signIn: "link" });
  expect(await connectSources(plain)).toBe("'self' ws: wss:");
  const app = await AppPage.visit(browser, plain);
  const origins = watchOrigins(app);
  await app.page.goto(await signInLink(readSecrets(plain.data).auth, "tessa", plain.url));
  await converse(app, "Nothing leaves");
  expect([...origins]).toEqual([plain.url]);
  expect(app.complaints).toEqual([]);
  await app.close();
});

it("ACL13: where an identity provider says who people are, its token is pasted, and kept", async () => {
  const app = await AppPage.visit(browser, product, { bypassCSP: true });
  const { page } = app;
  await page.goto(product.url);
  await page.getByText("Your organisation’s identity provider says who you are").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByLabel("Access token").fill("not a token");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
  expect(app.complaints.splice(0)).toEqual([expect.stringContaining("401")]);
  await page.getByLabel("Access token").fill(await provider.sign("key", { sub: "ludmila" }));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "What should we work on?" }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: /ludmila/ }).waitFor();
  expect(app.complaints).toEqual([]);
  await app.close();
});

it("TEL2: with a key it tells which acts happen, and nothing of what was said", async () => {
  expect(await connectSources(product)).toBe(`'self' ws: wss: ${counting.origin}`);
  const app = await AppPage.visit(browser, product);
  const origins = watchOrigins(app);
  await app.page.goto(product.url);
  await app.page.getByLabel("Access token").fill(await provider.sign("key", { sub: "ludmila" }));
  await app.page.keyboard.press("Enter");
  await converse(app, "Confidential words");
  const acts = ["session created", "prompt sent", "prompt sent", "approval answered"];
  await expect.poll(() => counting.events).toEqual(acts);
  const told = JSON.stringify(counting.received);
  for (const secret of ["Confidential", "approved.txt", "ludmila", app.sessionId]) expect(told).not.toContain(secret);
  expect(new Set(counting.received.map(({ path }) => path))).toEqual(new Set(["/i/v0/e/"]));
  expect([...origins].toSorted()).toEqual([product.url, counting.origin].toSorted());
  expect(app.complaints).toEqual([]);
  await app.close();
});
