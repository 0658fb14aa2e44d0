import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AgentPlaces } from "../src/agent-places.ts";
import { copyIntoHome } from "../src/agents/copy-into-home.ts";
import { tempDir } from "./support/temp-dir.ts";

const AGENT = { id: 23_457 };

function prepare(user?: { id: number }) {
  const root = tempDir();
  chmodSync(root, 0o755);
  const host = join(root, "host/opencode");
  mkdirSync(join(host, "agents"), { recursive: true, mode: 0o700 });
  mkdirSync(join(host, "node_modules"));
  writeFileSync(join(host, "agents/a.md"), "an agent");
  writeFileSync(join(host, "auth.json"), "{}", { mode: 0o600 });
  const [workspacesDir, homesDir] = [join(root, "workspaces"), join(root, "homes")];
  const place = new AgentPlaces({
    workspacesDir,
    homesDir,
    ...(user ? { users: { of: () => user, forget: () => {} } } : {}),
  }).prepare("s1");
  return { root, host, place };
}

test("OC9 settings are copied whole, as often as the agent starts, without what was installed beside them", async () => {
  const { host, place } = prepare();
  const copy = { from: host, name: ".", to: ".config/opencode" };
  await copyIntoHome(copy, place);
  await copyIntoHome(copy, place);
  expect(readFileSync(join(place.home, ".config/opencode/agents/a.md"), "utf8")).toBe("an agent");
  expect(existsSync(join(place.home, ".config/opencode/node_modules"))).toBe(false);
  await expect(copyIntoHome({ ...copy, name: "no-such-file" }, place)).rejects.toThrow("ended with code");
});

test.runIf(process.getuid?.() === 0)("SEC1 a link in an agent's home does not lead the runner's pen", async () => {
  const { root, host, place } = prepare(AGENT);
  const copy = { from: host, name: "auth.json", to: ".local/share/opencode" };
  await copyIntoHome(copy, place);
  expect(statSync(join(place.home, ".local/share/opencode/auth.json")).uid).toBe(AGENT.id);
  const precious = join(root, "precious");
  mkdirSync(precious, { mode: 0o755 });
  symlinkSync(precious, join(place.home, ".config"));
  await expect(copyIntoHome({ ...copy, to: ".config/opencode" }, place)).rejects.toThrow("ended with code");
  expect(existsSync(join(precious, "opencode"))).toBe(false);
});
