import { useMemo, useSyncExternalStore } from "react";
import { parseRoute, type Route } from "../lib/routes.ts";

const MOVED = "agent-ops:moved";

/** The page that the address names, so that a link or a reload leads back to it. */
export function useRoute(): Route {
  const place = useSyncExternalStore(subscribe, () => location.pathname + location.search);
  return useMemo(() => {
    const url = new URL(place, location.origin);
    return parseRoute(url.pathname, url.search);
  }, [place]);
}

export function goTo(href: string, how: "push" | "replace" = "push"): void {
  if (how === "push") history.pushState(null, "", href);
  else history.replaceState(null, "", href);
  dispatchEvent(new Event(MOVED));
}

function subscribe(onChange: () => void): () => void {
  addEventListener("popstate", onChange);
  addEventListener(MOVED, onChange);
  return () => {
    removeEventListener("popstate", onChange);
    removeEventListener(MOVED, onChange);
  };
}
