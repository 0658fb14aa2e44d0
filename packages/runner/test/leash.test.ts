import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { describeExit, onLeash } from "../src/agents/leash.ts";
import { endLeftovers } from "../src/agents/leftovers.ts";
import { eventually } from "./support/eventually.ts";

/** A program that tells its own number and then sleeps; `code` is what it does before that. */
async function start(code = "") {
  const { command, args } = onLeash("/bin/sh", ["-c", `${code} echo $$; exec sleep 60`]);
  const env = { PATH: process.env.PATH, MARK: "leash-test" };
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"], env });
  const exited = once(child, "exit").then(([exitCode, signal]) => describeExit(exitCode, signal));
  const [line] = await once(createInterface(child.stdout), "line");
  return { child, exited, pid: Number(line) };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test("OC8 a program ends when its leash is let go, and says by what", async () => {
  const { child, exited, pid } = await start();
  child.stdin.destroy();
  expect(await exited).toBe("signal SIGKILL");
  expect(isAlive(pid)).toBe(false);
});

test("OC8 a program on a leash gets SIGTERM, and may do something about it", async () => {
  const { child, exited, pid } = await start();
  child.kill("SIGTERM");
  expect(await exited).toBe("signal SIGTERM");
  expect(isAlive(pid)).toBe(false);
});

test("OC8 a program that ends by itself is told as it ended", async () => {
  const { command, args } = onLeash("/bin/sh", ["-c", "exit 7"]);
  const [code, signal] = await once(spawn(command, args, { stdio: ["pipe", "ignore", "ignore"] }), "exit");
  expect(describeExit(code, signal)).toBe("exit code 7");
});

test.runIf(process.platform === "linux")("OC8 what left its group is found by its environment", async () => {
  const { child, exited, pid } = await start("setsid sleep 61 &");
  const sleepers = () => spawnText("pgrep", ["-f", "^sleep 61$"]);
  await eventually(sleepers).not.toBe("");
  child.stdin.destroy();
  await exited;
  expect(isAlive(pid)).toBe(false);
  endLeftovers("MARK=leash-test");
  await eventually(sleepers).toBe("");
});

async function spawnText(command: string, args: string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "ignore"] });
  let text = "";
  child.stdout.on("data", (chunk) => {
    text += chunk;
  });
  await once(child, "close");
  return text.trim();
}
