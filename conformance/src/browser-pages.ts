import type { Browser, BrowserContextOptions } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { AppPage } from "./app-page.ts";
import { launchBrowser } from "./browser.ts";

type Place = { url: string; data: string };

/** A browser for the tests of a file. Whatever they do, no page may have anything to complain about at a test's end. */
export class BrowserPages {
  readonly #product: Place;
  #browser: Browser | undefined;
  #pages: AppPage[] = [];

  constructor(product: Place) {
    this.#product = product;
    beforeAll(async () => {
      this.#browser = await launchBrowser();
    });
    afterAll(() => this.#browser?.close());
    afterEach(async () => {
      const complaints = this.#pages.flatMap((page) => page.complaints);
      await Promise.all(this.#pages.map((page) => page.close()));
      this.#pages = [];
      expect(complaints).toEqual([]);
    });
  }

  async signIn(user: string, options?: BrowserContextOptions): Promise<AppPage> {
    return this.#keep(await AppPage.signIn(this.#started(), this.#product, user, options));
  }

  async visit(options?: BrowserContextOptions): Promise<AppPage> {
    return this.#keep(await AppPage.visit(this.#started(), this.#product, options));
  }

  #keep(page: AppPage): AppPage {
    this.#pages.push(page);
    return page;
  }

  #started(): Browser {
    if (!this.#browser) throw new Error("The browser is not there yet.");
    return this.#browser;
  }
}
