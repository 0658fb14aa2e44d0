import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";
import { z } from "zod";

const PATIENCE_MS = 10_000;

const targets = z.array(z.object({ id: z.string(), webSocketDebuggerUrl: z.string() }));
const usage = z.object({ result: z.object({ usedSize: z.number() }) });

/** What the heap of the product's worker holds once everything that nobody needs is collected. */
export async function heapMb(inspectorPort: number): Promise<number> {
  const listed = await fetch(`http://127.0.0.1:${inspectorPort}/json`);
  const worker = targets.parse(await listed.json()).find(({ id }) => id.endsWith("user:agent-ops"));
  if (!worker) throw new Error("The worker cannot be looked into.");
  const socket = new WebSocket(worker.webSocketDebuggerUrl);
  await once(socket, "open");
  try {
    await ask(socket, 1, "HeapProfiler.collectGarbage");
    return usage.parse(await ask(socket, 2, "Runtime.getHeapUsage")).result.usedSize / 1024 / 1024;
  } finally {
    socket.close();
  }
}

async function ask(socket: WebSocket, id: number, method: string): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  socket.on("message", (data) => {
    const message: unknown = JSON.parse(String(data));
    if (z.object({ id: z.literal(id) }).safeParse(message).success) resolve(message);
  });
  socket.send(JSON.stringify({ id, method }));
  const late = delay(PATIENCE_MS, undefined, { ref: false }).then(() => {
    throw new Error(`${method} was not answered.`);
  });
  return await Promise.race([promise, late]);
}
