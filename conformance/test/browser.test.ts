import { signInLink } from "@agent-ops/cli/tokens";
import { describe, expect, inject, it } from "vitest";
import { Api } from "../src/api.ts";
import type { AppPage } from "../src/app-page.ts";
import { BrowserPages } from "../src/browser-pages.ts";
import { readSecrets } from "../src/secrets.ts";

const product = inject("product");
const pages = new BrowserPages(product);

async function openPalette({ page }: AppPage): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.locator("[role=combobox]:focus").waitFor();
}

describe("signing in", () => {
  it("ACL3: the sign-in code leaves the address bar, and works once", async () => {
    const link = await signInLink(readSecrets(product.data).auth, "bob", product.url);
    const [first, second] = [await pages.visit(), await pages.visit()];
    await first.page.goto(link);
    await first.page.getByRole("button", { name: /bob/ }).waitFor();
    expect(first.page.url()).not.toContain("token");
    await second.page.goto(link);
    await second.page.getByText("This sign-in link was already used").waitFor();
    // The refusal itself is what the browser reports.
    expect(second.complaints.splice(0)).toEqual([expect.stringContaining("401")]);
  });

  it("ACL2: a session that is not shared is as good as none", async () => {
    const sessionId = await (await Api.of(product, "somebody-else")).createSession();
    const app = await pages.signIn("stranger");
    await app.page.goto(`${product.url}/sessions/${sessionId}`);
    await app.page.getByRole("heading", { name: "This session is not here" }).waitFor();
    expect(app.complaints.splice(0).every((text) => text.includes("404"))).toBe(true);
  });
});

/** Gives the composer a file as the browser would. */
async function give(app: AppPage, how: "paste" | "drop", name: string): Promise<void> {
  await app.composer.evaluate(
    (box, [kind, file]) => {
      const files = new DataTransfer();
      files.items.add(new File(["Some notes"], file, { type: "text/plain" }));
      const options = { bubbles: true, cancelable: true };
      const event =
        kind === "paste"
          ? new ClipboardEvent("paste", { ...options, clipboardData: files })
          : new DragEvent("drop", { ...options, dataTransfer: files });
      box.dispatchEvent(event);
    },
    [how, name] as const,
  );
}

describe("a conversation", () => {
  it("text, reasoning and tools; the tab and the sidebar say how it goes", async () => {
    const app = await pages.signIn("alice");
    await app.begin("Hello there");
    await app.answered("You said");
    await app.ask("/think");
    await app.answered("the simple way will do");
    await app.ask("/tools 3");
    await app.answered("All calls are done");
    await app.ask("/tool-error");
    await app.answered("The tool failed");
    expect([await app.tools("completed").count(), await app.tools("error").count()]).toEqual([3, 1]);
    expect(await app.page.getByTestId("reasoning").textContent()).toContain("Thought");
    expect(await app.page.title()).toBe("Hello there · Agent Ops");
    await app.page
      .getByRole("navigation", { name: "Sessions" })
      .getByRole("link", { name: /Hello there/ })
      .first()
      .waitFor();
    await app.tools("completed").first().getByRole("button").first().click();
    await app.tools("completed").first().getByText("Output").waitFor();
  });

  it("TURN1: later messages wait visibly, can be withdrawn, and the running turn can be stopped", async () => {
    const app = await pages.signIn("alice");
    await app.begin("/hang");
    await app.ask("one");
    await app.ask("two");
    const queue = app.page.getByTestId("queue");
    await queue.getByText("2 messages wait").waitFor();
    expect(await app.page.title()).toBe("● /hang · Agent Ops");
    await queue.getByRole("button", { name: "Withdraw “one”" }).click();
    await queue.getByText("1 message waits").waitFor();
    await app.page.getByRole("button", { name: "Stop the agent" }).click();
    await app.answered('You said: "two"');
    await app.answers.first().getByText("Stopped").waitFor();
    expect(await app.prompts.count()).toBe(2);
  });

  it("TURN9: a message is edited, and an answer written again", async () => {
    const app = await pages.signIn("alice");
    await app.begin("first words");
    await app.answered("first words");
    await app.prompts.first().hover();
    await app.page.getByRole("button", { name: "Edit and ask again" }).click();
    await app.page.getByRole("textbox", { name: "Edit your message" }).fill("better words");
    await app.page.getByRole("button", { name: "Ask again" }).click();
    await app.answered("better words");
    await expect.poll(() => app.answers.count()).toBe(1);
    expect(await app.prompts.count()).toBe(1);
    // The agent forgot the words that were replaced.
    await app.answered("That is your 1st message here.");
    await app.answers.first().evaluate((answer) => answer.setAttribute("data-old", "yes"));
    await app.page.getByRole("button", { name: "Write it again" }).click();
    await expect.poll(() => app.page.locator("[data-old]").count()).toBe(0);
    await app.answered("That is your 1st message here.");
    await expect.poll(() => app.answers.count()).toBe(1);
  });

  it("files are pasted and dropped, shown, and sent with the message", async () => {
    const app = await pages.signIn("alice");
    await app.begin("Hello");
    await app.answered("Hello");
    await give(app, "paste", "notes.txt");
    await give(app, "drop", "more.txt");
    const files = app.page.getByTestId("file");
    await expect.poll(() => files.count()).toBe(2);
    await app.page.getByRole("button", { name: "Remove more.txt" }).click();
    await app.ask("See the file");
    await app.answered("See the file");
    expect(await app.prompts.last().getByTestId("file").textContent()).toBe("notes.txt");
  });

  it("LOG6: a reload in the middle of a turn goes on where it was", async () => {
    const app = await pages.signIn("alice");
    await app.begin("/stream 250 8");
    await app.answers.filter({ hasText: "t40 " }).waitFor();
    await app.page.reload();
    await app.answered("t249");
    const words = (await app.answers.first().textContent())?.match(/t\d+/g);
    expect(words).toEqual(Array.from({ length: 250 }, (_, index) => `t${index}`));
  });
});

describe("questions", () => {
  it("Q2: an approval is given and refused, with a reason", async () => {
    const app = await pages.signIn("alice");
    await app.begin("/approve");
    await app.question.waitFor();
    expect(await app.page.title()).toContain("❓");
    await app.question.getByRole("button", { name: "Approve", exact: true }).click();
    await app.answered("approved.txt is there now");
    await app.page.getByText("Approved by alice.").waitFor();
    await app.ask("/approve");
    await app.question.getByRole("button", { name: "Deny and say why…" }).click();
    await app.question.getByRole("textbox", { name: "Why not" }).fill("not today");
    await app.question.getByRole("textbox", { name: "Why not" }).press("Enter");
    await app.answered("You refused");
    await app.page.getByText("Denied by alice: not today").waitFor();
    await app.page.reload();
    await app.page.getByText("Approved by alice.").waitFor();
  });

  it("Q3: a form is filled in, and a choice made", async () => {
    const app = await pages.signIn("alice");
    await app.begin("/form");
    await app.question.getByLabel("Name").fill("Ada");
    await app.question.getByLabel("Colour").selectOption("green");
    await app.question.getByLabel("How many").fill("3");
    await app.question.getByRole("button", { name: "Submit" }).click();
    await app.answered('"count":3');
    await app.ask("/ask");
    await app.question.getByRole("button", { name: /Blue/ }).click();
    await app.answered('You chose "blue"');
  });

  it("with the keyboard alone: begin, answer, find, and go elsewhere", async () => {
    const app = await pages.signIn("alice");
    const { page } = app;
    // Wherever the focus is, a command can be typed.
    await page.locator("body").evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.type("/think");
    await page.keyboard.press("Enter");
    await app.answered("I thought about it");
    await page.keyboard.type("/appro");
    await page.getByRole("option", { name: /approve/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await app.question.waitFor();
    await page.locator("body").evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press("y");
    await app.answered("approved.txt is there now");
    await openPalette(app);
    await page.keyboard.type("settings");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
    await openPalette(app);
    await page.keyboard.type("/approve");
    await page.keyboard.press("Enter");
    await app.answered("approved.txt is there now");
  });
});
