import { z } from "zod";

const id = z.union([z.string(), z.number()]);

/** A request or, without an `id`, a notification. */
export const rpcMessage = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: id.optional(),
  method: z.string(),
  params: z.looseObject({}).optional(),
});
export type RpcMessage = z.infer<typeof rpcMessage>;

export const RPC_ERROR = { parse: -32700, invalid: -32600, noMethod: -32601, params: -32602 } as const;

export class RpcError extends Error {
  override name = "RpcError";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export function rpcResult(messageId: string | number, result: unknown): object {
  return { jsonrpc: "2.0", id: messageId, result };
}

export function rpcFailure(messageId: string | number | null, error: unknown): object {
  const code = error instanceof RpcError ? error.code : RPC_ERROR.invalid;
  const message = error instanceof Error ? error.message : String(error);
  return { jsonrpc: "2.0", id: messageId, error: { code, message } };
}
