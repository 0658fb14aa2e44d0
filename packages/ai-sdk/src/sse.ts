import type { UIChunk } from "@agent-ops/shared/ai-sdk";

/** What proxies and tools look at; clients check none of it. */
export const SSE_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  "x-accel-buffering": "no",
  "x-vercel-ai-ui-message-stream": "v1",
} as const;

export const DONE_FRAME = "data: [DONE]\n\n";
export const KEEP_ALIVE = ": keep-alive\n\n";

/** One chunk as a frame; with `events` it also says its long name, which every client ignores. */
export function encodeFrame(chunk: UIChunk, events?: "named"): string {
  const data = `data: ${encodeChunk(chunk)}\n\n`;
  return events === "named" ? `event: ${eventName(chunk.type)}\n${data}` : data;
}

function eventName(type: UIChunk["type"]): string {
  switch (type) {
    case "start":
      return "message-start";
    case "finish":
      return "message-finish";
    default:
      return type;
  }
}

const SUSPECT = /"(?:__proto__|constructor)":/;

/** Clients refuse a frame that could reach a prototype, and fail as a whole. A tool's result may well hold such keys. */
function encodeChunk(chunk: UIChunk): string {
  const json = JSON.stringify(chunk);
  return SUSPECT.test(json) ? JSON.stringify(chunk, withoutPrototypes) : json;
}

function withoutPrototypes(key: string, value: unknown): unknown {
  if (key === "__proto__") return undefined;
  if (key === "constructor" && typeof value === "object" && value !== null && Object.hasOwn(value, "prototype")) {
    return undefined;
  }
  return value;
}
