import { signInLink } from "@agent-ops/cli/tokens";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { readSecrets } from "./secrets.ts";

type Place = { url: string; data: string };

export const DESK = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

/** The web app in a browser of its own, as one person uses it. */
export class AppPage {
  readonly page: Page;
  readonly product: Place;
  /** Errors and warnings that the browser's console told. */
  readonly complaints: string[] = [];

  private constructor(page: Page, product: Place) {
    this.page = page;
    this.product = product;
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") this.complaints.push(message.text());
    });
    page.on("pageerror", (error) => this.complaints.push(String(error)));
  }

  /** Signed in by a fresh link, on the home page. */
  static async signIn(
    browser: Browser,
    product: Place,
    user: string,
    options?: BrowserContextOptions,
  ): Promise<AppPage> {
    const app = await AppPage.visit(browser, product, options);
    await app.page.goto(await signInLink(readSecrets(product.data).auth, user, product.url));
    await app.page.getByRole("heading", { name: "What should we work on?" }).waitFor();
    return app;
  }

  /** Not signed in, and nowhere yet. */
  static async visit(browser: Browser, product: Place, options?: BrowserContextOptions): Promise<AppPage> {
    const context = await browser.newContext({ viewport: DESK, reducedMotion: "reduce", ...options });
    return new AppPage(await context.newPage(), product);
  }

  /** Makes a session with a first message, and waits until the page reads it live. */
  async begin(prompt: string): Promise<void> {
    const first = this.page.getByLabel("First message of a new session");
    await first.fill(prompt);
    await first.press("Enter");
    await this.live();
  }

  async open(sessionId: string, search = ""): Promise<void> {
    await this.page.goto(`${this.product.url}/sessions/${sessionId}${search}`);
    await this.live();
  }

  live(): Promise<void> {
    return this.page
      .getByTestId("connection")
      .and(this.page.locator("[data-state=live]"))
      .waitFor({ state: "attached" });
  }

  get sessionId(): string {
    return /ses_[\w-]+/.exec(this.page.url())?.[0] ?? "";
  }

  get composer(): Locator {
    return this.page.getByLabel(/^Message (to the agent|through useChat)$/);
  }

  get answers(): Locator {
    return this.page.getByTestId("agent-message");
  }

  get prompts(): Locator {
    return this.page.getByTestId("user-message");
  }

  get question(): Locator {
    return this.page.locator("[data-testid=question][data-open=true]");
  }

  tools(status: string): Locator {
    return this.page.locator(`[data-testid=tool-card][data-status="${status}"]`);
  }

  async ask(prompt: string): Promise<void> {
    await this.composer.fill(prompt);
    await this.composer.press("Enter");
  }

  /** Waits for an answer that has this text and is no longer being written. */
  answered(text: string | RegExp): Promise<void> {
    return this.page
      .locator('[data-testid=agent-message][aria-busy="false"]')
      .filter({ hasText: text })
      .last()
      .waitFor();
  }

  close(): Promise<void> {
    return this.page.context().close();
  }
}
