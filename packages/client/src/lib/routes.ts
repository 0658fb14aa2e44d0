export const PANELS = ["changes", "review", "children", "people", "audit"] as const;
export type PanelName = (typeof PANELS)[number];

export type Route =
  | { kind: "home" }
  | { kind: "session"; sessionId: string; panel?: PanelName | undefined }
  | { kind: "settings" }
  | { kind: "demo" }
  | { kind: "unknown" };

const SESSION = /^\/sessions\/([^/]+)$/;

/** Every address of the app. */
export function parseRoute(pathname: string, search: string): Route {
  const session = SESSION.exec(pathname)?.[1];
  if (session !== undefined) {
    const wanted = new URLSearchParams(search).get("panel");
    return { kind: "session", sessionId: decodeURIComponent(session), panel: PANELS.find((name) => name === wanted) };
  }
  if (pathname === "/") return { kind: "home" };
  if (pathname === "/settings") return { kind: "settings" };
  if (pathname === "/demo/in-process") return { kind: "demo" };
  return { kind: "unknown" };
}

export function sessionHref(sessionId: string, panel?: PanelName): string {
  return `/sessions/${encodeURIComponent(sessionId)}${panel === undefined ? "" : `?panel=${panel}`}`;
}
