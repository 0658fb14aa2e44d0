import { z } from "zod";

const textBlock = z.looseObject({ type: z.literal("text"), text: z.string() });
const pageBlock = z.looseObject({
  type: z.literal("resource"),
  resource: z.looseObject({
    uri: z.string().startsWith("ui://"),
    mimeType: z.string().startsWith("text/html"),
    text: z.string(),
  }),
});
const mcpResult = z.looseObject({ content: z.array(z.union([textBlock, pageBlock])).min(1) });

export type ToolPage = { uri: string; html: string };
export type ToolOutput = { text: string; pages: readonly ToolPage[] };

/** What a tool gave back, for people: an MCP result's texts and `ui://` pages, anything else as it is. */
export function readToolOutput(result: unknown): ToolOutput {
  if (typeof result === "string") return { text: result, pages: [] };
  const { content } = mcpResult.safeParse(result).data ?? {};
  if (!content) return { text: JSON.stringify(result, null, 2) ?? "", pages: [] };
  return {
    text: content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n"),
    pages: content.flatMap((block) =>
      block.type === "resource" ? [{ uri: block.resource.uri, html: block.resource.text }] : [],
    ),
  };
}

/** It reaches nothing: no script, no network, no address of its own. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:";

/** A tool's page as a document of its own. */
export function isolatedDocument(html: string): string {
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="content-security-policy" content="${POLICY}">${html}`;
}
