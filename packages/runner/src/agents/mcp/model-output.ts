import type { JSONValue, ToolResultPart } from "ai";
import { z } from "zod";

type ModelOutput = ToolResultPart["output"];

const block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  data: z.string().optional(),
  mimeType: z.string().optional(),
});
const result = z.looseObject({ content: z.array(block), isError: z.boolean().optional() });

/** What a model gets to read of an MCP result: texts and images as such, anything else as JSON, and nothing of `_meta`. */
export function modelOutput(output: unknown): ModelOutput {
  const parsed = result.safeParse(output);
  if (!parsed.success) return { type: "json", value: (output ?? null) as JSONValue };
  const { content, isError } = parsed.data;
  if (isError) return { type: "error-text", value: content.map(({ text }) => text ?? "").join("\n") };
  return { type: "content", value: content.map(blockFor) };
}

function blockFor({ _meta, ...given }: z.infer<typeof block>) {
  const { type, text, data, mimeType } = given;
  if (type === "text" && text !== undefined) return { type: "text" as const, text };
  if (type === "image" && data !== undefined && mimeType !== undefined) {
    return { type: "file" as const, mediaType: mimeType, data: { type: "data" as const, data } };
  }
  return { type: "text" as const, text: JSON.stringify(given) };
}
