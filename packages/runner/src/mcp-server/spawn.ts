import { z } from "zod";
import type { SpawnWish } from "./desk.ts";

const SPAWN_MS = 15_000;
const created = z.object({ id: z.string() });
const problem = z.object({ message: z.string() });

interface SpawnOptions {
  /** The worker's address, `http://` or `https://`. */
  url: string;
  token: string;
  hostName: string | undefined;
}

/** TOOL3: has the worker make a child session of one that this host runs; gives its id. */
export function spawner({ url, token, hostName }: SpawnOptions) {
  const query = hostName === undefined ? "" : `?name=${encodeURIComponent(hostName)}`;
  return async (sessionId: string, wish: SpawnWish): Promise<string> => {
    const response = await fetch(`${url}/api/runner/sessions/${sessionId}/children${query}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(wish),
      signal: AbortSignal.timeout(SPAWN_MS),
    });
    const body: unknown = await response.json().catch(() => ({}));
    if (!response.ok)
      throw new Error(problem.safeParse(body).data?.message ?? `The server answered ${response.status}.`);
    return created.parse(body).id;
  };
}
