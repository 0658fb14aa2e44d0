import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { it } from "vitest";
import { newUser } from "./support/api.ts";
import { FakeHost, openReader } from "./support/sockets.ts";
const t0 = Date.now();
const log = (...a: unknown[]) => console.warn(Date.now() - t0, ...a);
it("leave pool", async () => {
  const host = await FakeHost.join();
  host.leave();
  for (let i = 0; i < 5; i++) {
    log(await runInDurableObject(env.POOL.getByName("pool"), (_, s) => s.getWebSockets().map((w) => w.readyState)), host.control.closed);
    await new Promise((r) => setTimeout(r, 100));
  }
}, 8000);
it("leave session", async () => {
  const ann = newUser("ann");
  const session = await ann.createSession();
  const stub = env.SESSIONS.getByName(session);
  const r = await openReader(session, ann.user);
  await r.next("init");
  r.close();
  for (let i = 0; i < 5; i++) {
    log(await runInDurableObject(stub, (_, s) => s.getWebSockets().map((w) => w.readyState)), r.closed);
    await new Promise((r) => setTimeout(r, 100));
  }
}, 8000);
it("abort", async () => {
  const host = await FakeHost.join();
  const ann = newUser("ann");
  const session = await ann.createSession();
  const resp = await ann.chat(session, "hi");
  const r = await openReader(session, ann.user);
  await r.next("init");
  const runner = await host.runner(session);
  log("abort");
  await abortAllDurableObjects();
  log("aborted");
  log(await r.untilClosed(), await runner.socket.untilClosed(), await host.control.untilClosed());
  log(await resp.text().catch((e) => e));
}, 8000);
