const KEY = "agent-ops.reloaded";
const AGAIN_MS = 30_000;
const RETRY_MS = 1_000;

/**
 * Loads a part of the app. After an update of the server a page that was open before asks for parts that are gone: it is
 * loaded anew, once. Where the server is away, the part waits for it.
 */
export function fresh<T>(load: () => Promise<T>): () => Promise<T> {
  return () => load().catch(recover);
}

async function recover(error: unknown): Promise<never> {
  while (!(await isServerThere())) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  const last = Number(sessionStorage.getItem(KEY) ?? 0);
  if (Date.now() - last < AGAIN_MS) throw error;
  sessionStorage.setItem(KEY, String(Date.now()));
  location.reload();
  return new Promise(() => undefined);
}

async function isServerThere(): Promise<boolean> {
  try {
    return (await fetch("/healthz", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}
