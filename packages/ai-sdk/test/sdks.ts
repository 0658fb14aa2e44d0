import type { UIChunk } from "@agent-ops/shared/ai-sdk";
import * as ai5 from "ai5";
import * as ai5strict from "ai5strict";
import * as ai6 from "ai6";
import * as ai7 from "ai7";

/** What the tests ask of a release of the SDK. */
export type Sdk = {
  name: string;
  /** Why the client would refuse the chunk, if it would. */
  refuses(chunk: unknown): Promise<string | undefined>;
  /** The message that the client gathers, as JSON would carry it. */
  gather(chunks: readonly UIChunk[]): Promise<unknown>;
  /** Throws where the history is not one of this release. */
  validate(messages: unknown[]): Promise<unknown>;
};

type Validator = () => {
  validate?: (value: unknown) => PromiseLike<{ success: boolean; error?: Error }> | { success: boolean; error?: Error };
};

async function refusal(schema: Validator, chunk: unknown): Promise<string | undefined> {
  const result = await schema().validate?.(chunk);
  if (result?.success) return undefined;
  return result?.error?.message ?? "the schema cannot validate";
}

async function last(messages: AsyncIterable<unknown>): Promise<unknown> {
  let latest: unknown;
  for await (const message of messages) latest = message;
  return latest === undefined ? undefined : JSON.parse(JSON.stringify(latest));
}

/** The `error` chunk is left out: it would end the gathering with an exception, as it should. */
function streamOf<T>(chunks: readonly UIChunk[]): ReadableStream<T> {
  const copies: T[] = JSON.parse(JSON.stringify(chunks.filter((chunk) => chunk.type !== "error")));
  return new ReadableStream({
    start(controller) {
      for (const copy of copies) controller.enqueue(copy);
      controller.close();
    },
  });
}

const sdk5: Sdk = {
  name: "5",
  refuses: (chunk) => refusal(ai5.uiMessageChunkSchema, chunk),
  gather: (chunks) =>
    last(ai5.readUIMessageStream({ stream: streamOf<ai5.UIMessageChunk>(chunks), terminateOnError: true })),
  validate: (messages) => ai5.validateUIMessages({ messages }),
};
const sdk5strict: Sdk = {
  name: "5-strict",
  refuses: (chunk) => refusal(ai5strict.uiMessageChunkSchema, chunk),
  gather: (chunks) =>
    last(ai5strict.readUIMessageStream({ stream: streamOf<ai5strict.UIMessageChunk>(chunks), terminateOnError: true })),
  validate: (messages) => ai5strict.validateUIMessages({ messages }),
};
const sdk6: Sdk = {
  name: "6",
  refuses: (chunk) => refusal(ai6.uiMessageChunkSchema, chunk),
  gather: (chunks) =>
    last(ai6.readUIMessageStream({ stream: streamOf<ai6.UIMessageChunk>(chunks), terminateOnError: true })),
  validate: (messages) => ai6.validateUIMessages({ messages }),
};
const sdk7: Sdk = {
  name: "7",
  refuses: (chunk) => refusal(ai7.uiMessageChunkSchema, chunk),
  gather: (chunks) =>
    last(ai7.readUIMessageStream({ stream: streamOf<ai7.UIMessageChunk>(chunks), terminateOnError: true })),
  validate: (messages) => ai7.validateUIMessages({ messages }),
};

export const EVERY_SDK: readonly Sdk[] = [sdk5, sdk5strict, sdk6, sdk7];
/** The ones that know approvals. */
export const APPROVING_SDKS: readonly Sdk[] = [sdk6, sdk7];
