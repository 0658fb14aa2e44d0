import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ReaderPlan } from "../readers/protocol.ts";
import { buildWorker } from "./build-worker.ts";
import { upgradeRequest } from "./http-request.ts";
import { Peer } from "./peer.ts";
import type { Product } from "./product.ts";
import type { System, SystemName } from "./system.ts";

const AI_CHAT = join(import.meta.dirname, "../../peers/ai-chat");
const INSTALL_MS = 120_000;

/** Starts a system; `undo` stops it again. */
export async function startSystem(name: SystemName, product: Product, undo: AsyncDisposableStack): Promise<System> {
  switch (name) {
    case "adapter":
    case "socket":
      return product.system(name);
    case "naive":
      return undo.use(await Peer.start({ name, ...(await workerd(undo, NAIVE, "Room")), workerd: true }));
    case "ai-node":
      return undo.use(await Peer.start({ name, program: AI_NODE, env: { NODE_ENV: "production" }, workerd: false }));
    case "ai-chat":
      return undo.use(await startAiChat(undo));
    default:
      return name satisfies never;
  }
}

const NAIVE = join(import.meta.dirname, "../workers/naive-bridge.ts");
const AI_NODE = join(import.meta.dirname, "ai-node-process.ts");

async function startAiChat(undo: AsyncDisposableStack): Promise<Peer> {
  if (!existsSync(join(AI_CHAT, "node_modules"))) {
    execFileSync("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"], {
      cwd: AI_CHAT,
      timeout: INSTALL_MS,
    });
  }
  const program = await workerd(undo, join(AI_CHAT, "worker.js"), "Chat");
  const plan = ({ port, session }: { port: number; session: string }): ReaderPlan => {
    return { port, request: upgradeRequest(`/agents/actors/${session}`), transport: "socket" };
  };
  return Peer.start({ name: "ai-chat", ...program, workerd: true, plan, beginsOverFeed: true });
}

async function workerd(undo: AsyncDisposableStack, entry: string, actor: string) {
  const worker = await buildWorker(entry);
  const data = mkdtempSync(join(tmpdir(), "agent-ops-bench-"));
  for (const folder of [dirname(worker), data]) undo.defer(() => rmSync(folder, { recursive: true, force: true }));
  const env = { BENCH_WORKER: worker, BENCH_ACTOR: actor, BENCH_DATA: data };
  return { program: join(import.meta.dirname, "workerd-process.ts"), env };
}
