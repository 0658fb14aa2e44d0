import { signInLink } from "@agent-ops/cli/tokens";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Api } from "../src/api.ts";
import { launchBrowser } from "../src/browser.ts";
import { Product } from "../src/product.ts";
import { readSecrets } from "../src/secrets.ts";

let browser: Browser;
let product: Product;

beforeAll(async () => {
  [browser, product] = await Promise.all([launchBrowser(), Product.start()]);
});

afterAll(async () => {
  await browser?.close();
  await product?.destroy();
});

/** A signed-in page with a new session, and whatever the console had to complain about. */
async function openSession(): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(await signInLink(readSecrets(product.data).auth, "alice", product.url));
  await page.getByRole("button", { name: "New session" }).first().click();
  await page.getByTestId("connection").and(page.locator("[data-state=live]")).waitFor();
  return { page, complaints };
}

async function ask(page: Page, label: string, prompt: string): Promise<void> {
  const composer = page.getByRole("textbox", { name: label });
  await composer.fill(prompt);
  await composer.press("Enter");
}

const LIVE = "Message to the agent";
const USE_CHAT = "Message through useChat";

describe("the page in a real browser", () => {
  it("ACL3: the sign-in code leaves the address bar, and works once", async () => {
    const page = await browser.newPage();
    const link = await signInLink(readSecrets(product.data).auth, "bob", product.url);
    await page.goto(link);
    await page.getByText("bob").waitFor();
    expect(page.url()).not.toContain("token");
    const other = await (await browser.newContext()).newPage();
    await other.goto(link);
    await other.getByText("agent-ops -- link").waitFor();
  });

  it("useChat 7: text, reasoning, tools and a failed tool, the same in both panels", async () => {
    const { page, complaints } = await openSession();
    for (const prompt of ["Hello there", "/think", "/tools 3", "/tool-error"]) await ask(page, USE_CHAT, prompt);
    for (const id of ["ai-panel", "live-panel"]) {
      const panel = page.getByTestId(id);
      await panel.getByTestId("agent-message").nth(3).waitFor();
      await expect.poll(() => panel.locator('[data-testid=tool-card][data-status="completed"]').count()).toBe(3);
      await expect.poll(() => panel.locator('[data-testid=tool-card][data-status="error"]').count()).toBe(1);
      await expect.poll(() => panel.locator('[aria-busy="true"]').count()).toBe(0);
      expect(await panel.getByTestId("reasoning").count()).toBe(1);
      expect(await panel.getByTestId("user-message").allInnerTexts()).toEqual(
        expect.arrayContaining([expect.stringContaining("Hello there"), expect.stringContaining("/tool-error")]),
      );
    }
    expect(complaints).toEqual([]);
  });

  it("Q2: an approval asked for in one panel is answered in the other", async () => {
    const { page, complaints } = await openSession();
    await ask(page, USE_CHAT, "/approve");
    await page.getByTestId("live-panel").getByRole("button", { name: "Approve", exact: true }).click();
    const cards = page.locator('[data-testid=tool-card][data-status="completed"]');
    await expect.poll(() => cards.count()).toBe(2);
    expect(complaints).toEqual([]);
  });

  it("SSE9: a turn that somebody else began appears in useChat, with their message", async () => {
    const { page, complaints } = await openSession();
    const sessionId = /ses_[0-9a-f]+/.exec(page.url())?.[0] ?? "";
    const other = await Api.of({ url: product.url, data: product.data });
    for (const prompt of ["From another device", "/tools 2"]) await (await other.chat(sessionId, prompt)).text();
    const panel = page.getByTestId("ai-panel");
    await panel.getByTestId("user-message").getByText("From another device").waitFor();
    await expect.poll(() => panel.locator('[data-testid=tool-card][data-status="completed"]').count()).toBe(2);
    expect(await panel.getByTestId("agent-message").count()).toBe(2);
    expect(complaints).toEqual([]);
  });

  it("LOG5: kill -9 of workerd mid-turn, and the page ends with the whole text", async () => {
    const { page } = await openSession();
    await ask(page, LIVE, "/stream 1500 2");
    const answer = page.getByTestId("live-panel").getByTestId("agent-message");
    await expect.poll(() => answer.textContent()).toContain("t300 ");
    process.kill(product.workerdPid(), "SIGKILL");
    await expect.poll(() => answer.textContent(), { timeout: 20_000 }).toContain("t1499");
    const words = (await answer.textContent())?.match(/t\d+/g);
    expect(words).toEqual(Array.from({ length: 1500 }, (_, index) => `t${index}`));
  });
});
