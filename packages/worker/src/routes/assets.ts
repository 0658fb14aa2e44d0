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

const SECURITY = {
  "content-security-policy":
    "default-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self' ws: wss:; img-src 'self' data: blob:; frame-ancestors 'none'; base-uri 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** The web app. Paths without a file extension are pages of the app, so they get its one document. */
export async function serveAsset(context: RouteContext): Promise<Response> {
  const { pathname } = new URL(context.req.url);
  const extension = /\.([a-z0-9]+)$/.exec(pathname)?.[1];
  const file = extension ? pathname : "/index.html";
  const found = await context.env.ASSETS.fetch(`https://assets${file}`);
  if (!found.ok) return new Response("Not found", { status: 404, headers: SECURITY });
  const immutable = pathname.startsWith("/assets/");
  const headers = {
    ...SECURITY,
    "content-type": TYPES[extension ?? "html"] ?? "application/octet-stream",
    "cache-control": immutable ? "public, max-age=31536000, immutable" : "no-cache",
  };
  return new Response(found.body, { headers });
}
