import { z } from "zod";
import type { ModelMessage } from "./conversation.ts";
import type { Dialect, Frame } from "./dialect.ts";
import type { Piece, Reply } from "./reply.ts";

const block = z.looseObject({ type: z.string(), text: z.string().optional() });
const content = z.union([z.string(), z.array(block)]);
const request = z.looseObject({
  messages: z.array(z.looseObject({ role: z.enum(["user", "assistant"]), content })),
  system: content.optional(),
  tools: z.array(z.unknown()).optional(),
  stream: z.boolean().optional(),
});

/** `POST /v1/messages`, Anthropic's own. */
export const anthropic: Dialect = {
  name: "anthropic",
  takes: (path) => path.endsWith("/messages"),

  read(body) {
    const { messages, system = "", tools = [], stream = false } = request.parse(body);
    return { system: textOf(system), messages: messages.map(toMessage), hasTools: tools.length > 0, streams: stream };
  },

  stream(reply, model) {
    let index = 0;
    const start = { ...envelope(model), content: [], stop_reason: null, usage: usage(reply) };
    const end = { type: "message_delta", delta: { stop_reason: stopReason(reply) }, usage: usage(reply) };
    return {
      open: [named({ type: "message_start", message: start })],
      // Each piece is a block of its own, which is what the dialect allows and no reader minds.
      pieces: reply.pieces.map(blockOf).map(({ begin, deltas }) => {
        const at = index++;
        return [
          named({ type: "content_block_start", index: at, content_block: begin }),
          ...deltas.map((delta) => named({ type: "content_block_delta", index: at, delta })),
          named({ type: "content_block_stop", index: at }),
        ];
      }),
      close: [named(end), named({ type: "message_stop" })],
    };
  },

  whole: (reply, model) => ({
    ...envelope(model),
    content: reply.pieces.map(blockOf).map(({ whole }) => whole),
    stop_reason: stopReason(reply),
    usage: usage(reply),
  }),

  error: (_status, message) => ({ type: "error", error: { type: "invalid_request_error", message } }),
};

function toMessage({ role, content: value }: z.infer<typeof request>["messages"][number]): ModelMessage {
  const isResult = typeof value !== "string" && value.some(({ type }) => type === "tool_result");
  return { role: isResult ? "tool" : role, text: textOf(value) };
}

function textOf(value: z.infer<typeof content>): string {
  return typeof value === "string" ? value : value.map(({ text = "" }) => text).join("\n");
}

type Block = { begin: object; deltas: object[]; whole: object };

function blockOf(piece: Piece): Block {
  if (piece.kind === "text") {
    const { text } = piece;
    return { begin: { type: "text", text: "" }, deltas: [{ type: "text_delta", text }], whole: { type: "text", text } };
  }
  if (piece.kind === "reasoning") {
    const thinking = piece.text;
    const deltas = [
      { type: "thinking_delta", thinking },
      { type: "signature_delta", signature: "scripted" },
    ];
    const whole = { type: "thinking", thinking, signature: "scripted" };
    return { begin: { type: "thinking", thinking: "", signature: "" }, deltas, whole };
  }
  const call = { type: "tool_use", id: `toolu_${piece.id}`, name: piece.name };
  const deltas = [{ type: "input_json_delta", partial_json: piece.args }];
  return { begin: { ...call, input: {} }, deltas, whole: { ...call, input: JSON.parse(piece.args) } };
}

function envelope(model: string): object {
  return { id: "msg_scripted", type: "message", role: "assistant", model };
}

function named(data: { type: string; [key: string]: unknown }): Frame {
  return { event: data.type, data };
}

function stopReason({ finish }: Reply): string {
  const reasons = { stop: "end_turn", length: "max_tokens", "tool-calls": "tool_use" };
  return reasons[finish];
}

function usage({ usage: { input, output } }: Reply): object {
  return { input_tokens: input, output_tokens: output };
}
