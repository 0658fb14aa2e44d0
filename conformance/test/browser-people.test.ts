import { describe, expect, inject, it } from "vitest";
import { Api } from "../src/api.ts";
import { PHONE } from "../src/app-page.ts";
import { BrowserPages } from "../src/browser-pages.ts";

const product = inject("product");
const pages = new BrowserPages(product);

describe("several people", () => {
  it("ACL7: they see each other and each other's messages; access comes and goes", async () => {
    const owner = await pages.signIn("olga");
    await owner.begin("Hello from Olga");
    await owner.answered("Olga");
    await owner.page.getByRole("button", { name: "Show the side panel" }).click();
    const panel = owner.page.getByTestId("side-panel");
    await panel.getByRole("tab", { name: "People" }).click();
    await panel.getByRole("textbox", { name: "Name of the person" }).fill("pavel");
    await panel.getByRole("button", { name: "Share" }).click();
    await panel.getByTestId("member").filter({ hasText: "pavel" }).waitFor();

    const guestApi = await Api.of(product, "pavel");
    const present = async () => (await (await guestApi.request("GET", "/api/sessions")).json()).sessions[0]?.people;
    await expect.poll(present).toEqual(["olga"]);
    const guest = await pages.signIn("pavel");
    const list = guest.page.getByRole("navigation", { name: "Sessions" });
    await list.getByRole("link", { name: /Here now: olga/ }).waitFor();
    await guest.open(owner.sessionId);
    await owner.page.getByTestId("others").getByText("Here now: pavel").waitFor({ state: "attached" });
    await owner.page.getByLabel("Here now: olga, pavel").or(owner.page.getByLabel("Here now: pavel, olga")).waitFor();
    await guest.ask("Hello from Pavel");
    await owner.prompts.filter({ hasText: "Hello from Pavel" }).waitFor();
    expect(await owner.prompts.last().textContent()).toContain("pavel");

    await panel.getByLabel("What pavel may do").selectOption("viewer");
    await guest.page.reload();
    await guest.live();
    await guest.page.getByPlaceholder("You can read this session, not write in it.").waitFor();
    expect(await guest.composer.isDisabled()).toBe(true);
    await panel.getByRole("tab", { name: "Audit log" }).click();
    await panel.getByTestId("audit-entry").filter({ hasText: "shared it with pavel" }).first().waitFor();

    await panel.getByRole("tab", { name: "People" }).click();
    await panel.getByRole("button", { name: "Remove pavel" }).click();
    await guest.page.getByRole("heading", { name: "This session is not here" }).waitFor();
    expect(guest.complaints.splice(0).filter((text) => !text.includes("404"))).toEqual([]);
  });
});

describe("through the AI SDK", () => {
  it("useChat 7: the same conversation, over the standard hook", async () => {
    const app = await pages.signIn("alice");
    await app.begin("Hello there");
    await app.answered("Hello there");
    await app.page.getByRole("button", { name: "More about this session" }).click();
    await app.page.getByRole("menuitem", { name: "Use the AI SDK’s useChat" }).click();
    const panel = app.page.getByTestId("ai-panel");
    await panel.getByText('You said: "Hello there"').waitFor();
    await app.ask("/tools 2");
    await app.answered("All calls are done");
    expect(await app.tools("completed").count()).toBe(2);
    await app.ask("/approve");
    await app.question.getByRole("button", { name: "Approve", exact: true }).click();
    await app.answered("approved.txt is there now");
    await app.ask("/stream 200 8");
    await app.answers.filter({ hasText: "t30 " }).waitFor();
    await app.page.reload();
    await app.answered("t199");
    await app.ask("/hang");
    await app.page.getByRole("button", { name: "Stop the agent" }).waitFor();
    await app.ask("after that");
    await panel.getByTestId("queue").getByText("1 message waits").waitFor();
    await app.page.getByRole("button", { name: "Stop the agent" }).click();
    await app.answered('You said: "after that"');
    await expect.poll(() => panel.getByTestId("queue").count()).toBe(0);
    await app.answers.nth(-2).getByText("Stopped").waitFor();
    expect(await app.prompts.getByText("after that").count()).toBe(1);
    await app.page.getByRole("button", { name: "More about this session" }).click();
    await app.page.getByRole("menuitem", { name: "Use the live connection" }).click();
    const live = app.page.getByTestId("live-panel");
    await live.getByText("Stopped").waitFor();
    await live.getByTestId("user-message").filter({ hasText: "/hang" }).waitFor();
  });

  it("SSE9: a turn that somebody else began appears, with their message", async () => {
    const app = await pages.signIn("alice");
    await app.begin("Hello there");
    await app.answered("Hello there");
    await app.page.getByRole("button", { name: "More about this session" }).click();
    await app.page.getByRole("menuitem", { name: "Use the AI SDK’s useChat" }).click();
    await app.page.getByTestId("ai-panel").getByText('You said: "Hello there"').waitFor();
    const other = await Api.of(product);
    for (const prompt of ["From another device", "/tools 2"]) await (await other.chat(app.sessionId, prompt)).text();
    await app.prompts.getByText("From another device").waitFor();
    await app.answered("All calls are done");
    expect(await app.answers.count()).toBe(3);
  });
});

describe("around the conversation", () => {
  it("ACL8: API tokens are made, shown once, used and revoked; the theme is kept", async () => {
    const app = await pages.signIn("tina");
    const { page } = app;
    await page.goto(`${product.url}/settings`);
    await page.getByRole("textbox", { name: "Name of the token" }).fill("robot");
    await page.getByRole("button", { name: "Create" }).click();
    const token = await page.getByTestId("fresh-token").textContent();
    const robot = new Api(product.url, token ?? "");
    expect((await robot.request("GET", "/api/sessions")).status).toBe(200);
    await page.getByRole("button", { name: "Revoke robot" }).click();
    await expect.poll(async () => (await robot.request("GET", "/api/sessions")).status).toBe(401);
    await page.getByText("Dark", { exact: true }).click();
    await page.reload();
    await page.getByRole("heading", { name: "API tokens" }).waitFor();
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(background).toBe("rgb(14, 14, 16)");
  });

  it("on a phone: the list slides over, the dialog makes a session, and the panel covers it", async () => {
    const app = await pages.signIn("philip", { viewport: PHONE, hasTouch: true, isMobile: true, colorScheme: "dark" });
    const { page } = app;
    await page.getByRole("button", { name: "Show the sessions" }).click();
    await page.getByRole("dialog", { name: "Sessions" }).getByRole("button", { name: "New session" }).click();
    await page.getByRole("textbox", { name: "Title" }).fill("On the way");
    await page.getByRole("button", { name: "Start session" }).click();
    await app.live();
    await page.getByRole("heading", { name: "On the way" }).waitFor();
    await page.getByRole("button", { name: /Use some tools/ }).click();
    await app.answered("All calls are done");
    await page.getByRole("button", { name: "Show the side panel" }).click();
    await page.getByTestId("side-panel").getByRole("tab", { name: "Audit log" }).click();
    await page.getByTestId("audit-entry").first().waitFor();
    await page.getByRole("button", { name: "Hide the side panel" }).click();
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
  });

  it("RUN9: a file that the agent edits shows up among the changes, line by line", async () => {
    const app = await pages.signIn("alice");
    await app.begin("/edit src/hello.ts export const hello = 1;");
    await app.answered("I wrote src/hello.ts");
    await app.page.keyboard.press("Control+.");
    const changed = app.page.getByTestId("file-changes").filter({ hasText: "src/hello.ts" });
    await changed.getByText("hello = ").waitFor();
    expect(await changed.textContent()).toContain("export const hello = 1;");
  });

  it("LIFE2: a session is renamed, ended and deleted", async () => {
    const app = await pages.signIn("alice");
    const { page } = app;
    await app.begin("Short life");
    await app.answered("Short life");
    await page.getByRole("button", { name: "More about this session" }).click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    await page.getByRole("textbox", { name: "Title of this session" }).fill("Shorter life");
    await page.getByRole("textbox", { name: "Title of this session" }).press("Enter");
    await page.getByRole("link", { name: /Shorter life/ }).waitFor();
    await page.getByRole("button", { name: "More about this session" }).click();
    await page.getByRole("menuitem", { name: "End session…" }).click();
    await page.getByRole("button", { name: "End session", exact: true }).click();
    await page.getByPlaceholder("This session has ended. It can still be read.").waitFor();
    await page.getByRole("button", { name: "More about this session" }).click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    await page.getByRole("button", { name: "Delete for good" }).click();
    await page.getByRole("heading", { name: "What should we work on?" }).waitFor();
    await expect.poll(() => page.getByRole("link", { name: /Shorter life/ }).count()).toBe(0);
  });
});
