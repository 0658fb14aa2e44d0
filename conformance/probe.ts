import { Api } from "./src/api.ts";
import { Product } from "./src/product.ts";
import { V2Reader } from "./src/v2-reader.ts";
const product = await Product.start();
try {
  const api = await Api.of(product);
  const id = await api.createSession();
  const reader = new V2Reader(api, id); await reader.connect();
  const c = new AbortController();
  const t0 = Date.now();
  const log = (...a: unknown[]) => console.log(Date.now() - t0, ...a);
  const response = await fetch(`${product.url}/api/sessions/${id}/chat`, { method: "POST", headers: api.headers, signal: c.signal, body: JSON.stringify({ id, messages: [{ id: "m", role: "user", parts: [{ type: "text", text: process.argv[2] ?? "/stream 100000 5" }] }] }) });
  const it = response.body!.getReader();
  for (let i = 0; i < 5; i++) await it.read();
  log("abort"); c.abort();
  const tick = setInterval(async () => log(reader.events.at(-1)?.type, reader.seq, (await (await fetch(product.url + "/metrics")).text()).split("\n").filter((l) => /aborts|subscribers/.test(l) && !l.startsWith("#")).join(" ")), 1000);
  await Promise.race([reader.untilTurnEnd(), new Promise((r) => setTimeout(r, 15000))]);
  clearInterval(tick);
  log("end", reader.events.filter((e) => e.type === "message.finalize" || e.type === "audit_log"));
  reader.close();
} finally { await product.destroy(); }
