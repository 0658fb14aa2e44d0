import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buildWorker } from "./build-worker.ts";
import { Peer } from "./peer.ts";

export function startAiNode(): Promise<Peer> {
  const program = join(import.meta.dirname, "ai-node-process.ts");
  return Peer.start({ name: "ai-node", program, env: { NODE_ENV: "production" }, workerd: false });
}

export async function startNaive(undo: AsyncDisposableStack): Promise<Peer> {
  return undo.use(await Peer.start({ name: "naive", ...(await workerd(undo, "naive-bridge", "Room")), workerd: true }));
}

async function workerd(undo: AsyncDisposableStack, name: string, actor: string) {
  const worker = await buildWorker(name);
  const data = mkdtempSync(join(tmpdir(), "agent-ops-bench-"));
  for (const folder of [dirname(worker), data]) undo.defer(() => rmSync(folder, { recursive: true, force: true }));
  const env = { BENCH_WORKER: worker, BENCH_ACTOR: actor, BENCH_DATA: data };
  return { program: join(import.meta.dirname, "workerd-process.ts"), env };
}
