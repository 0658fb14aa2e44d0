import { useSyncExternalStore } from "react";

const PREFIX = "#/sessions/";

/** The session that the address names, so that a link or a reload leads back to it. */
export function useSessionRoute(): string | undefined {
  return useSyncExternalStore(subscribe, currentSessionId);
}

export function sessionHref(id: string): string {
  return `${PREFIX}${encodeURIComponent(id)}`;
}

export function goToSession(id: string | undefined): void {
  location.hash = id === undefined ? "" : sessionHref(id);
}

function subscribe(onChange: () => void): () => void {
  addEventListener("hashchange", onChange);
  return () => removeEventListener("hashchange", onChange);
}

function currentSessionId(): string | undefined {
  const { hash } = location;
  return hash.startsWith(PREFIX) && hash.length > PREFIX.length
    ? decodeURIComponent(hash.slice(PREFIX.length))
    : undefined;
}
