import type { Env } from "../env.ts";
import { telemetryOf } from "../lib/telemetry.ts";
import type { RouteContext } from "./methods.ts";

const TYPES: Record<string, string> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  ico: "image/x-icon",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  map: "application/json",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  webmanifest: "application/manifest+json",
  woff2: "font/woff2",
};

/** TEL1: the server that counts may be called where there is one, and no other. */
function securityHeaders(env: Env): Record<string, string> {
  const counting = telemetryOf(env)?.host;
  const policy = [
    "default-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    `connect-src 'self' ws: wss:${counting ? ` ${counting}` : ""}`,
    "img-src 'self' data: blob:",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  return {
    "content-security-policy": policy.join("; "),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
}

/** The web app. Paths without a file extension are pages of the app, so they get its one document. */
export async function serveAsset(context: RouteContext): Promise<Response> {
  const { pathname } = new URL(context.req.url);
  const extension = /\.([a-z0-9]+)$/.exec(pathname)?.[1];
  const file = extension ? pathname : "/index.html";
  const found = await context.env.ASSETS.fetch(`https://assets${file}`);
  if (!found.ok) return new Response("Not found", { status: 404, headers: securityHeaders(context.env) });
  const immutable = pathname.startsWith("/assets/");
  const headers = {
    ...securityHeaders(context.env),
    "content-type": TYPES[extension ?? "html"] ?? "application/octet-stream",
    "cache-control": immutable ? "public, max-age=31536000, immutable" : "no-cache",
  };
  return new Response(found.body, { headers });
}
