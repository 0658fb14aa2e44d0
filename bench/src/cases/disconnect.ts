import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { FIXED_TIMES } from "@agent-ops/shared/limits";
import type { BenchCase } from "../bench.ts";
import { micros } from "../clock.ts";
import type { FedSession } from "../systems/system.ts";

const READERS = 10;
const PATIENCE_MS = 10_000;

/** Clients that close politely during silence: only the next keep-alive can tell, and how soon after it is measured. */
export const disconnect: BenchCase = {
  name: "disconnect",
  title: "a closed connection is noticed",
  quick: true,
  columns: [{ key: "afterHeartbeatMs", title: "ms after the heartbeat", digits: 1 }],
  async run({ pool, product, note }) {
    if (process.platform !== "linux") {
      note("disconnect: left out, since it needs /proc");
      return [];
    }
    const group = "disconnect";
    const [session] = await product.open(1, "adapter");
    if (!session) throw new Error("No session.");
    try {
      const plans = Array.from({ length: READERS - 1 }, (_, index) => session.plan(index + 1));
      await pool.open({ group, plans: [session.plan(0)], total: 2, timeoutMs: PATIENCE_MS });
      await session.begun();
      await pool.open({ group, plans, total: 2, timeoutMs: PATIENCE_MS });
      const { lastDeltaAt, ports } = await oneDelta(session, () => pool.collect(group, 200));
      const sockets = openFiles(product.pid, serverSockets(product.port, ports));
      await pool.close(group);
      const noticedAt = await untilClosed(sockets);
      return [
        { system: "adapter", values: { afterHeartbeatMs: (noticedAt - lastDeltaAt) / 1000 - FIXED_TIMES.keepAliveMs } },
      ];
    } finally {
      session.close();
    }
  },
};

async function oneDelta<T>(session: FedSession, collect: () => Promise<T>): Promise<T> {
  session.send(["@0,0;hello"]);
  return collect();
}

/** The server's ends of connections, by the ports of the clients. */
function serverSockets(serverPort: number, clientPorts: readonly number[]): Set<string> {
  const port = (address: string | undefined) => Number.parseInt(address?.split(":")[1] ?? "", 16);
  const rows = readFileSync("/proc/net/tcp", "utf8").trim().split("\n").slice(1);
  const fields = rows.map((row) => row.trim().split(/\s+/));
  const own = fields.filter((row) => port(row[1]) === serverPort && clientPorts.includes(port(row[2])));
  return new Set(own.map((row) => `socket:[${row[9]}]`));
}

/** Looks at these files alone: to look at all that are open takes longer than what is measured. */
async function untilClosed(files: ReadonlyMap<string, string>): Promise<number> {
  for (const deadline = micros() + PATIENCE_MS * 1000; micros() < deadline; await delay(1)) {
    if (![...files].some(([path, socket]) => linkOf(path) === socket)) return micros();
  }
  return Number.POSITIVE_INFINITY;
}

/** Where a process has these sockets open. */
function openFiles(pid: number, sockets: ReadonlySet<string>): Map<string, string> {
  const folder = `/proc/${pid}/fd`;
  const links = readdirSync(folder).map((name) => [`${folder}/${name}`, linkOf(`${folder}/${name}`)] as const);
  return new Map(links.flatMap(([path, link]) => (link && sockets.has(link) ? [[path, link]] : [])));
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // closed in the meantime
  }
}
