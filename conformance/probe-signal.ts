import { Miniflare } from "miniflare";
const script = `
import { DurableObject } from "cloudflare:workers";
export class D extends DurableObject {
  log = [];
  async fetch(request) {
    const url = new URL(request.url);
    if (url.pathname === "/log") return Response.json(this.log);
    const t0 = Date.now();
    const say = (x) => this.log.push((Date.now()-t0) + " " + x);
    const ms = Number(url.searchParams.get("ms"));
    request.signal.addEventListener("abort", () => say("signal aborted"));
    let n = 0, timer;
    const body = new ReadableStream({ start(c) { timer = setInterval(() => { try { c.enqueue(new TextEncoder().encode("x\\n")); n++; } catch (e) { say("enqueue threw " + e); clearInterval(timer); } if (n > 400/ (ms/10)) { clearInterval(timer); say("done " + n); try { c.close(); } catch {} } }, ms); }, cancel() { say("cancel " + n); clearInterval(timer); } });
    return new Response(body);
  }
}
export default { async fetch(request, env, ctx) {
  const url = new URL(request.url);
  const stub = env.D.getByName(url.searchParams.get("name"));
  if (url.pathname === "/log") return stub.fetch("https://a/log");
  const mode = url.searchParams.get("mode");
  const init = mode === "none" ? {} : { signal: request.signal };
  const r = await stub.fetch(new Request("https://a" + url.pathname + url.search, init));
  return mode === "wrap" ? new Response(r.body, r) : r;
} }`;
const flagSets: string[][] = [[], ["enable_request_signal"], ["enable_request_signal", "request_signal_passthrough"]];
for (const flags of flagSets) {
  const mf = new Miniflare({ cf: false, workers: [{ config: { type: "worker", name: "w", compatibilityDate: "2026-09-01", compatibilityFlags: flags, manifest: { mainModule: "w.js", modulesRoot: "/tmp", modules: { "w.js": { type: "esm", contents: script } } }, env: { D: { type: "durable-object", worker: "w", exportName: "D" } }, exports: { D: { type: "durable-object", storage: "sqlite" } } }, dev: { unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }] } }] } as never);
  await mf.ready;
  const base = String(await mf.unsafeGetDirectURL("w")).replace(/\/$/, "");
  for (const mode of ["none", "pass", "wrap"]) for (const ms of [10, 1000]) {
    const name = `${mode}${ms}`;
    const c = new AbortController();
    const r = await fetch(`${base}/s?mode=${mode}&name=${name}&ms=${ms}`, { signal: c.signal });
    const reader = r.body!.getReader();
    await reader.read();
    c.abort();
    await new Promise((r) => setTimeout(r, 2500));
    console.log(flags.join(), name, await (await fetch(`${base}/log?name=${name}`)).json());
  }
  await mf.dispose();
}
