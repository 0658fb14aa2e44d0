import { describe, expect, it } from "vitest";
import { readLimited } from "../../src/lib/read-limited.ts";

/** A request whose body arrives in pieces of so many bytes. */
function request(text: string, piece = 3): Request {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + piece));
      at += piece;
    },
  });
  return new Request("https://x.example", { method: "POST", body, duplex: "half" } as RequestInit);
}

describe("readLimited", () => {
  it("SSE3: reads a body of exactly the limit, in bytes, and refuses one byte more", async () => {
    const text = "\u00e9".repeat(10);
    expect(await readLimited(request(text), 20)).toBe(text);
    await expect(readLimited(request(`${text}x`), 20)).rejects.toMatchObject({ code: "too_large" });
    await expect(readLimited(request(text), 19)).rejects.toMatchObject({ code: "too_large" });
  });

  it("SSE3: characters that are cut by the pieces are whole again", async () => {
    const text = "a\u{1f600}b\u65e5c\u00e9".repeat(20);
    for (const piece of [1, 2, 3, 5, 7]) expect(await readLimited(request(text, piece), 1000)).toBe(text);
  });

  it("SSE3: no body is an empty text", async () => {
    expect(await readLimited(new Request("https://x.example"), 10)).toBe("");
  });
});
