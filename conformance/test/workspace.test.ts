import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Api, streamedText } from "../src/api.ts";
import { newDataFolder, Product } from "../src/product.ts";
import { Scene } from "../src/scene.ts";

const PERSON = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];

describe("a session's folder", () => {
  let product: Product;
  let api: Api;
  let repository: string;

  beforeAll(async () => {
    const roots = newDataFolder();
    repository = join(roots, "app");
    mkdirSync(repository);
    writeFileSync(join(repository, "a.txt"), "one\ntwo\n");
    for (const args of [
      ["init", "-qb", "main"],
      ["add", "."],
      ["commit", "-qm", "Begin"],
    ]) {
      execFileSync("git", [...PERSON, ...args], { cwd: repository });
    }
    product = await Product.start({ PATH: "/usr/bin:/bin" }, newDataFolder(), ["--workspace-root", roots]);
    api = await Api.of(product);
  });
  afterAll(() => product.destroy());

  function folderOf(scene: Scene): string {
    return join(product.data, "workspaces", scene.sessionId);
  }

  it("WS2 WS3: a repository is there at the first prompt; its state, changes and diff are told", async () => {
    const scene = await Scene.open(product, "alice", { workspace: repository });
    await streamedText(await api.chat(scene.sessionId, "hello"));
    expect(readFileSync(join(folderOf(scene), "a.txt"), "utf8")).toBe("one\ntwo\n");
    await scene.reader.until(() => scene.logged("git-state").length === 1);
    expect(scene.logged("git-state")).toMatchObject([
      { branch: expect.stringMatching(/^agent-ops\//), baseBranch: "main", commitCount: 0, dirty: false },
    ]);
    await streamedText(await api.chat(scene.sessionId, "/edit a.txt changed"));
    await scene.reader.until(() => scene.logged("files-changed").length === 1);
    expect(scene.logged("files-changed")).toMatchObject([{ files: [{ path: "a.txt", status: "modified" }] }]);
    expect(scene.logged("git-state").at(-1)).toMatchObject({ dirty: true });
    expect(readFileSync(join(repository, "a.txt"), "utf8")).toBe("one\ntwo\n");
    scene.reader.send({ type: "diff", requestId: "d1" });
    await scene.reader.until(({ others }) => others.some((event) => "requestId" in event && event.requestId === "d1"));
    const diff = scene.reader.others.find((event) => "requestId" in event && event.requestId === "d1");
    expect(diff).toMatchObject({ files: [{ path: "a.txt", patch: expect.stringContaining("-two\n+changed") }] });
  });

  it("WS4: a review asks the agent apart from the conversation, and everybody sees what it found", async () => {
    const scene = await Scene.open(product);
    await streamedText(await api.chat(scene.sessionId, "/edit notes.txt to be reviewed"));
    scene.reader.send({ type: "review", requestId: "r1" });
    await scene.reader.until(() => scene.logged("review-result").length === 1);
    expect(scene.logged("review-result")).toMatchObject([
      {
        requestId: "r1",
        files: [{ path: "notes.txt", findings: [{ severity: "suggestion", title: "A test would help" }] }],
        stats: { critical: 0, warning: 0, suggestion: 1, nitpick: 0, total: 1 },
      },
    ]);
    expect(await streamedText(await api.chat(scene.sessionId, "/remember"))).not.toContain("Review the changes");
  });

  it("WS2: it is gone when the session is deleted", async () => {
    const scene = await Scene.open(product, "alice", { workspace: repository });
    await streamedText(await api.chat(scene.sessionId, "hello"));
    expect(existsSync(join(folderOf(scene), "a.txt"))).toBe(true);
    expect((await api.request("DELETE", `/api/sessions/${scene.sessionId}`)).status).toBe(204);
    await expect.poll(() => existsSync(folderOf(scene))).toBe(false);
    const worktrees = () => execFileSync("git", ["worktree", "list"], { cwd: repository, encoding: "utf8" });
    await expect.poll(worktrees).not.toContain(scene.sessionId);
  });

  it("HOST4: choosing an agent that is not installed says how to get it", async () => {
    const scene = await Scene.open(product, "alice", { agent: "opencode" });
    await (await api.chat(scene.sessionId, "hello")).text();
    expect(await scene.endings()).toEqual(["error"]);
    expect(scene.logged("message.finalize")[0]?.error).toMatch(
      /^OpenCode is not installed on this host\. Install it with: npm install --global opencode-ai@/,
    );
  });

  it.each(["/etc", "file:///etc", "http://example.com/app.git", "--upload-pack=x", "ext::sh -c x"])(
    "WS1: %s is refused with a reason, and the session goes on being one",
    async (workspace) => {
      const scene = await Scene.open(product, "alice", { workspace });
      await (await api.chat(scene.sessionId, "hello")).text();
      expect(await scene.endings()).toEqual(["error"]);
      expect(scene.logged("message.finalize")[0]?.error).toMatch(/cannot be a workspace|folder that this host allows/);
    },
  );
});
