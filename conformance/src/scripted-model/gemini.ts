import { z } from "zod";
import type { ModelMessage } from "./conversation.ts";
import type { Dialect } from "./dialect.ts";
import type { Piece, Reply } from "./reply.ts";

const part = z.looseObject({ text: z.string().optional(), functionResponse: z.unknown().optional() });
const entry = z.looseObject({ role: z.string().optional(), parts: z.array(part).default([]) });
const request = z.looseObject({
  contents: z.union([z.array(entry), entry]),
  systemInstruction: entry.optional(),
  tools: z.array(z.looseObject({ functionDeclarations: z.array(z.unknown()).optional() })).optional(),
});

/** `POST /v1beta/models/MODEL:streamGenerateContent`, and the same without the stream. */
export const gemini: Dialect = {
  name: "gemini",
  takes: (path) => path.endsWith(":streamGenerateContent") || path.endsWith(":generateContent"),

  read(body, path) {
    const { contents, systemInstruction, tools = [] } = request.parse(body);
    return {
      system: systemInstruction ? textOf(systemInstruction) : "",
      messages: [contents].flat().map(toMessage),
      hasTools: tools.some(({ functionDeclarations = [] }) => functionDeclarations.length > 0),
      streams: path.endsWith(":streamGenerateContent"),
    };
  },

  stream: (reply) => ({
    open: [],
    pieces: reply.pieces.map((piece) => [{ data: candidate([toPart(piece)]) }]),
    close: [{ data: { ...candidate([{ text: "" }], finishReason(reply)), usageMetadata: usage(reply) } }],
  }),

  whole: (reply) => ({
    ...candidate(reply.pieces.map(toPart), finishReason(reply)),
    usageMetadata: usage(reply),
  }),

  error: (code, message) => ({ error: { code, message, status: "SCRIPTED_ERROR" } }),
};

function toMessage(content: z.infer<typeof entry>): ModelMessage {
  if (content.role === "model") return { role: "assistant", text: textOf(content) };
  const isResult = content.parts.some(({ functionResponse }) => functionResponse !== undefined);
  return { role: isResult ? "tool" : "user", text: textOf(content) };
}

function textOf({ parts }: z.infer<typeof entry>): string {
  return parts.map(({ text = "" }) => text).join("\n");
}

function toPart(piece: Piece): object {
  if (piece.kind === "text") return { text: piece.text };
  if (piece.kind === "reasoning") return { text: piece.text, thought: true };
  return { functionCall: { id: piece.id, name: piece.name, args: JSON.parse(piece.args) } };
}

function candidate(parts: object[], finish?: string): object {
  return { candidates: [{ index: 0, content: { role: "model", parts }, ...(finish ? { finishReason: finish } : {}) }] };
}

function finishReason({ finish }: Reply): string {
  return finish === "length" ? "MAX_TOKENS" : "STOP";
}

function usage({ usage: { input, output } }: Reply): object {
  return { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output };
}
