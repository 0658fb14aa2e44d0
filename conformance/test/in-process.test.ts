import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { launchBrowser } from "../src/browser.ts";
import { serveDemoPage } from "../src/demo-page.ts";
import type { ServedPage } from "../src/served-page.ts";

let browser: Browser;
let other: ServedPage;

beforeAll(async () => {
  [browser, other] = await Promise.all([launchBrowser(), serveDemoPage(import.meta.resolve("ai-sdk-react6"))]);
});

afterAll(async () => {
  await browser?.close();
  other?.close();
});

const RELEASES = [
  { release: 6, address: () => `${other.origin}/demo/in-process` },
  { release: 7, address: () => new URL("/demo/in-process", inject("product").url).href },
];

/** Not the files of the page itself: a font comes when its first letter does. */
const CALLS = new Set(["fetch", "xhr", "websocket", "eventsource"]);

/** Everything that the page holds, top to bottom. */
class Demo {
  readonly page: Page;
  readonly complaints: string[] = [];
  /** What the page asked of any server once it was there. */
  readonly requests: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.on("pageerror", (error) => this.complaints.push(String(error)));
  }

  static async open(address: string): Promise<Demo> {
    const page = await browser.newPage();
    const demo = new Demo(page);
    await page.goto(`${address}?pace=0`);
    await page.getByTestId("chat").waitFor();
    page.on("request", (request) => {
      if (CALLS.has(request.resourceType())) demo.requests.push(request.url());
    });
    return demo;
  }

  press(name: string): Promise<void> {
    return this.page.getByRole("button", { name, exact: true }).click();
  }

  async write(text: string): Promise<void> {
    const input = this.page.getByRole("textbox", { name: "Message to the flow" });
    await input.fill(text);
    await input.press("Enter");
  }

  async reaches(status: "ready" | "streaming" | "error"): Promise<void> {
    await expect.poll(() => this.page.getByTestId("chat").getAttribute("data-status")).toBe(status);
  }

  async flowIs(status: string): Promise<void> {
    await this.answer().locator(`[data-testid=flow-status][data-status=${status}]`).waitFor();
  }

  async started(count: number): Promise<void> {
    await expect.poll(() => this.page.getByTestId("runs").getAttribute("data-started")).toBe(String(count));
  }

  async going(count: number): Promise<void> {
    await expect.poll(() => this.page.getByTestId("runs").getAttribute("data-going")).toBe(String(count));
  }

  answer(): Locator {
    return this.page.getByTestId("agent-message").last();
  }

  /** The answer's parts by their kinds, in their order. */
  kinds(): Promise<(string | null)[]> {
    return this.answer()
      .locator(":scope > [data-testid]")
      .evaluateAll((parts) => parts.map((part) => part.getAttribute("data-testid")));
  }

  /** The words of the writer at work, which begin anew after each of its sentences. */
  async words(): Promise<string> {
    const texts = await this.answer().getByTestId("text").allInnerTexts();
    return texts.join(" ").replaceAll(/\s+/g, " ").trim();
  }

  async growsBeyond(length: number): Promise<void> {
    await expect.poll(async () => (await this.words()).length).toBeGreaterThan(length + 100);
  }
}

const ESSAY =
  "I found 3 facts. Here is the essay, in a plain tone. " +
  (
    "The first known lighthouse stood at Alexandria and was over a hundred metres high. " +
    "Fresnel's lens of 1822 bends light that would be lost into one beam. " +
    "Almost every lighthouse has run without a keeper since the 1990s. "
  ).repeat(200);

describe.each(RELEASES)("INP15 useChat $release on the demo page", ({ address }) => {
  it("INP15: thinking before text, two tools, three nodes as steps, what they gave and what it cost", async () => {
    const demo = await Demo.open(address());
    await demo.press("Write about lighthouses");
    await demo.flowIs("completed");
    await demo.reaches("ready");
    expect(await demo.kinds()).toEqual([
      "flow-status",
      ...["step", "reasoning", "tool", "tool", "text", "node-output"],
      ...["step", "reasoning", "text", "node-output"],
      ...["step", "text", "node-output", "usage"],
    ]);
    expect(await demo.answer().locator("[data-testid=tool][data-state=output-available]").count()).toBe(2);
    expect(await demo.words()).toMatch(/^I found 3 facts\. Here is the essay.*changed nothing\.$/);
    await demo.press("Write again");
    await demo.started(2);
    await demo.going(0);
    await demo.reaches("ready");
    expect(await demo.page.getByTestId("agent-message").count()).toBe(1);
    expect(demo.requests).toEqual([]);
    expect(demo.complaints).toEqual([]);
  });

  it("INP15: a failing tool does not fail the run", async () => {
    const demo = await Demo.open(address());
    await demo.press("Write with a broken tool");
    await demo.flowIs("completed");
    const failed = demo.answer().locator("[data-testid=tool][data-state=output-error]");
    expect(await failed.textContent()).toContain("The library is closed today.");
    expect(await demo.words()).toContain("from memory");
    expect(demo.complaints).toEqual([]);
  });

  it("INP15: a failing agent does, and the page says why", async () => {
    const demo = await Demo.open(address());
    await demo.press("Write with an agent that fails");
    await demo.reaches("error");
    expect(await demo.page.getByRole("alert").textContent()).toBe(
      'The agent of "writer" failed: The model refused to write.',
    );
    await demo.flowIs("failed");
    await demo.going(0);
  });

  it("INP15: an agent asks, and the answer goes on as a new message", async () => {
    const demo = await Demo.open(address());
    await demo.press("Write, but ask me first");
    await demo.flowIs("paused");
    await demo.page.getByText("Which tone shall the essay have?").waitFor();
    await demo.write("solemn");
    await demo.flowIs("completed");
    await demo.reaches("ready");
    expect(await demo.page.getByTestId("agent-message").count()).toBe(2);
    expect(await demo.page.getByTestId("user-message").last().textContent()).toBe("solemn");
    expect(await demo.words()).toContain("in a solemn tone");
    expect(demo.complaints).toEqual([]);
  });

  it("INP15: pause, resume in the same message, and stop", async () => {
    const demo = await Demo.open(address());
    await demo.press("Write at length");
    await demo.growsBeyond(0);
    await demo.press("Pause");
    await demo.flowIs("paused");
    const before = (await demo.words()).length;
    await demo.press("Resume");
    await demo.flowIs("running");
    await demo.growsBeyond(before);
    await demo.press("Stop");
    await demo.reaches("ready");
    await demo.going(0);
    expect(ESSAY.startsWith(await demo.words())).toBe(true);
    expect(await demo.page.getByTestId("agent-message").count()).toBe(1);
    expect(demo.complaints).toEqual([]);
  });

  it("INP15: unmounted in the middle, the run goes on; mounted again, the page has all of it", async () => {
    const demo = await Demo.open(address());
    await demo.press("Write at length");
    await demo.growsBeyond(0);
    const before = (await demo.words()).length;
    await demo.press("Hide the chat");
    await demo.page.getByTestId("chat").waitFor({ state: "detached" });
    await demo.going(1);
    await demo.press("Show the chat");
    await demo.reaches("streaming");
    await demo.growsBeyond(before + 100);
    await demo.press("Stop");
    await demo.reaches("ready");
    await demo.going(0);
    expect(ESSAY.startsWith(await demo.words())).toBe(true);
    expect(await demo.page.getByTestId("agent-message").count()).toBe(1);
    expect(demo.complaints).toEqual([]);
  });
});
