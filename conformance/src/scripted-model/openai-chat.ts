import { z } from "zod";
import type { ModelMessage } from "./conversation.ts";
import type { Dialect } from "./dialect.ts";
import type { Piece, Reply } from "./reply.ts";

const content = z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() })), z.null()]).optional();
const request = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content })),
  tools: z.array(z.unknown()).optional(),
  stream: z.boolean().optional(),
});

/** `POST /v1/chat/completions`, as OpenAI and everybody after them speak it. */
export const openAiChat: Dialect = {
  name: "openai-chat",
  takes: (path) => path.endsWith("/chat/completions"),

  read(body) {
    const { messages, tools = [], stream = false } = request.parse(body);
    const texts = messages.map(({ role, content }) => ({ role, text: textOf(content) }));
    const isSystem = ({ role }: { role: string }) => role === "system" || role === "developer";
    return {
      system: texts
        .filter(isSystem)
        .map(({ text }) => text)
        .join("\n"),
      messages: texts.filter((entry): entry is ModelMessage => !isSystem(entry)),
      hasTools: tools.length > 0,
      streams: stream,
    };
  },

  stream(reply, model) {
    let calls = 0;
    const frame = (delta: object, finish: string | null = null) => ({
      data: { ...envelope("chat.completion.chunk", model), choices: [{ index: 0, delta, finish_reason: finish }] },
    });
    return {
      open: [frame({ role: "assistant", content: "" })],
      pieces: reply.pieces.map((piece) => deltas(piece, () => calls++).map((delta) => frame(delta))),
      close: [
        frame({}, finishReason(reply)),
        { data: { ...envelope("chat.completion.chunk", model), choices: [], usage: usage(reply) } },
        { data: "[DONE]" },
      ],
    };
  },

  whole(reply, model) {
    const said = (kind: Piece["kind"]) =>
      reply.pieces.map((piece) => (piece.kind === kind && "text" in piece ? piece.text : "")).join("");
    const calls = reply.pieces.flatMap((piece) =>
      piece.kind === "call"
        ? [{ id: piece.id, type: "function", function: { name: piece.name, arguments: piece.args } }]
        : [],
    );
    const message = {
      role: "assistant",
      content: said("text"),
      ...(said("reasoning") ? { reasoning_content: said("reasoning") } : {}),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    };
    return {
      ...envelope("chat.completion", model),
      choices: [{ index: 0, message, finish_reason: finishReason(reply) }],
      usage: usage(reply),
    };
  },

  error: (status, message) => ({ error: { message, type: "scripted_error", code: String(status) } }),
};

function textOf(value: z.infer<typeof content>): string {
  if (typeof value === "string") return value;
  return value?.map(({ text = "" }) => text).join("\n") ?? "";
}

/** A call comes as its name first and then its arguments in two halves. */
function deltas(piece: Piece, nextCall: () => number): object[] {
  if (piece.kind === "text") return [{ content: piece.text }];
  if (piece.kind === "reasoning") return [{ reasoning_content: piece.text }];
  const index = nextCall();
  const half = Math.ceil(piece.args.length / 2);
  const begun = { index, id: piece.id, type: "function", function: { name: piece.name, arguments: "" } };
  const rest = [piece.args.slice(0, half), piece.args.slice(half)].map((args) => ({
    index,
    function: { arguments: args },
  }));
  return [begun, ...rest].map((call) => ({ tool_calls: [call] }));
}

function envelope(object: string, model: string): object {
  return { id: "chatcmpl-scripted", object, created: 0, model };
}

function finishReason({ finish }: Reply): string {
  return finish === "tool-calls" ? "tool_calls" : finish;
}

function usage({ usage: { input, output } }: Reply): object {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}
