import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Api } from "../src/api.ts";
import { launchBrowser } from "../src/browser.ts";
import { Product, ROOT } from "../src/product.ts";
import { type ServedPage, servePage } from "../src/served-page.ts";

const README = readFileSync(join(ROOT, "README.md"), "utf8");
const [COMPONENT = "", HOOK = ""] = [...README.matchAll(/```tsx\n([\s\S]*?)```/g)].map((block) => block[1]);
const IN_TRANSPORT = /``(prepareReconnectToStreamRequest: .*?)``/.exec(README)?.[1];

/** The component with the hook and the line in its transport, as somebody would put them there who has read on. */
const FOLLOWING = COMPONENT.replace("{ api, headers }", `{ api, headers, ${IN_TRANSPORT} }`)
  .replace("const { messages, sendMessage } = useChat(", "const chat = useChat(")
  .replace("  return (", "  useEveryonesTurns(chat);\n  const { messages, sendMessage } = chat;\n  return (");

const ENTRY = `
  import { createElement } from "react";
  import { createRoot } from "react-dom/client";
  import * as alone from "alone";
  import * as following from "following";
  const { as, ...props } = Object.fromEntries(new URLSearchParams(location.search));
  createRoot(document.getElementById("root")).render(createElement({ alone, following }[as].Agent, props));
`;

/** Prompts whose turns come one upon the other. */
const QUICK = Array.from({ length: 12 }, (_, index) => `quick ${index}`);

const RELEASES = [
  { release: "5", hook: import.meta.resolve("ai-sdk-react5"), ai: import.meta.resolve("ai5") },
  { release: "6", hook: import.meta.resolve("ai-sdk-react6"), ai: import.meta.resolve("ai6") },
  { release: "7", hook: import.meta.resolve("@ai-sdk/react"), ai: import.meta.resolve("ai7") },
];

function serveReadme(product: string, hook: string, ai: string): Promise<ServedPage> {
  const here = (code: string) => code.replaceAll("http://127.0.0.1:8787", product);
  const following = `import { useEveryonesTurns } from "hook";\n${here(FOLLOWING)}`;
  const modules = { entry: ENTRY, alone: here(COMPONENT), following, hook: HOOK };
  return servePage({ modules, packages: { "@ai-sdk/react": fileURLToPath(hook), ai: fileURLToPath(ai) } });
}

let browser: Browser;
let product: Product;

beforeAll(async () => {
  [browser, product] = await Promise.all([launchBrowser(), Product.start({ CORS_ORIGINS: "*" })]);
});

afterAll(async () => {
  await browser?.close();
  await product?.destroy();
});

describe.each(RELEASES)("README with AI SDK $release", ({ release, hook, ai }) => {
  let page: ServedPage;
  beforeAll(async () => {
    page = await serveReadme(product.url, hook, ai);
  });
  afterAll(() => page?.close());

  /** One person with the component on a page of their own origin. */
  async function open(as: "alone" | "following", sessionId: string, api: Api): Promise<Reader> {
    const tab = await browser.newPage();
    const token = api.headers.authorization?.replace("Bearer ", "") ?? "";
    const reader = new Reader(tab);
    await tab.goto(`${page.origin}/?${new URLSearchParams({ as, sessionId, token })}`);
    return reader;
  }

  it("the component talks to a session", async () => {
    const alice = await Api.of(product);
    const reader = await open("alone", await alice.createSession(), alice);
    await reader.ask("Hello there");
    await reader.sees(["Hello there", expect.stringContaining('You said: "Hello there"')]);
    await reader.ask("/stream 5 0");
    await reader.sees([expect.anything(), expect.anything(), "/stream 5 0", "t0 t1 t2 t3 t4 "]);
    expect(reader.complaints).toEqual([]);
  });

  // While it waits, 5 would say that something was submitted.
  if (release === "5") return;

  it("SSE9: with the hook everybody sees everybody's turns, once, and can send", async () => {
    const [alice, bob] = [await Api.of(product), await Api.of(product, "bob")];
    const sessionId = await alice.createSession();
    await alice.share(sessionId, "bob", "collaborator");
    const [hers, his] = [await open("following", sessionId, alice), await open("following", sessionId, bob)];
    await Promise.all([hers.waits(1), his.waits(1)]);
    await hers.ask("/stream 50 10");
    const streamed = Array.from({ length: 50 }, (_, index) => `t${index} `).join("");
    await Promise.all([hers.sees(["/stream 50 10", streamed]), his.sees([streamed])]);
    await his.ask("From bob");
    const reply = expect.stringContaining('You said: "From bob"');
    await Promise.all([hers.sees(["/stream 50 10", streamed, reply]), his.sees([streamed, "From bob", reply])]);
    await hers.ask("/stream 3 0");
    await his.sees([streamed, "From bob", reply, "t0 t1 t2 "]);
    const program = await Api.of(product);
    for (const prompt of QUICK) await (await program.chat(sessionId, prompt)).text();
    const quick = QUICK.map((prompt) => expect.stringContaining(`You said: "${prompt}"`));
    await his.sees([streamed, "From bob", reply, "t0 t1 t2 ", ...quick]);
    await (await program.chat(sessionId, "/error")).text();
    await (await program.chat(sessionId, "/stream 4 0")).text();
    await his.sees([streamed, "From bob", reply, "t0 t1 t2 ", ...quick, expect.anything(), "t0 t1 t2 t3 "]);
    expect([hers.complaints, his.complaints]).toEqual([[], []]);
  });

  it("SSE3: with the hook somebody who may not read asks once a second", async () => {
    const alice = await Api.of(product);
    const stranger = await Api.of(product, "stranger");
    const reader = await open("following", await alice.createSession(), stranger);
    await expect.poll(() => reader.waiting.length).toBeGreaterThanOrEqual(3);
    const [, second = 0, third = 0] = reader.waiting;
    expect(third - second).toBeGreaterThan(900);
  });
});

/** A tab with the component. */
class Reader {
  readonly page: Page;
  readonly complaints: string[] = [];
  /** When it asked for the next turn. */
  readonly waiting: number[] = [];

  constructor(page: Page) {
    this.page = page;
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    page.on("request", (request) => {
      if (request.url().includes("/stream?wait=25") && request.method() === "GET") this.waiting.push(performance.now());
    });
  }

  async ask(text: string): Promise<void> {
    const input = this.page.getByPlaceholder("Ask the agent");
    await input.fill(text);
    await input.press("Enter");
  }

  async sees(paragraphs: unknown[]): Promise<void> {
    await expect.poll(() => this.page.locator("p").allTextContents()).toEqual(paragraphs);
  }

  async waits(count: number): Promise<void> {
    await expect.poll(() => this.waiting.length).toBe(count);
  }
}
