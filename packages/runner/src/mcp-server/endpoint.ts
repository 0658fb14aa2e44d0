import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import type { Desk } from "./desk.ts";
import { RPC_ERROR, RpcError, type RpcMessage, rpcFailure, rpcMessage, rpcResult } from "./json-rpc.ts";
import { callTool, toolList } from "./tools.ts";

const VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26"];
const BODY_BYTES = 1024 * 1024;
/** An answer that takes long is sent as a stream, which is kept alive. */
const KEEP_ALIVE_MS = 10_000;

const initializeParams = z.looseObject({ protocolVersion: z.string() });
const callParams = z.looseObject({ name: z.string(), arguments: z.unknown().optional() });

/** One session's end of MCP's streamable HTTP: without a session of its own, one request, one answer. */
export class McpEndpoint {
  #desk: Desk;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const message = await readMessage(request);
    if (!message)
      return sendJson(response, 400, rpcFailure(null, new RpcError(RPC_ERROR.parse, "Not a JSON-RPC message.")));
    const { id } = message;
    if (id === undefined) return void response.writeHead(202).end();
    if (message.method !== "tools/call") return sendJson(response, 200, this.#answer(id, message));
    await this.#call(id, message, response);
  }

  #answer(id: string | number, { method, params }: RpcMessage): object {
    switch (method) {
      case "initialize":
        return rpcResult(id, greeting(initializeParams.safeParse(params).data?.protocolVersion));
      case "ping":
        return rpcResult(id, {});
      case "tools/list":
        return rpcResult(id, { tools: toolList() });
      default:
        return rpcFailure(id, new RpcError(RPC_ERROR.noMethod, `There is no method "${method}".`));
    }
  }

  async #call(id: string | number, { params }: RpcMessage, response: ServerResponse): Promise<void> {
    const call = callParams.safeParse(params).data;
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    const alive = setInterval(() => response.write(": still working\n\n"), KEEP_ALIVE_MS);
    const result = call && (await callTool(this.#desk, call.name, call.arguments ?? {}, gone.signal));
    clearInterval(alive);
    const unknown = new RpcError(RPC_ERROR.params, "There is no such tool.");
    const answer = result ? rpcResult(id, result) : rpcFailure(id, unknown);
    response.end(`event: message\ndata: ${JSON.stringify(answer)}\n\n`);
  }
}

function greeting(wanted: string | undefined): object {
  const protocolVersion = wanted !== undefined && VERSIONS.includes(wanted) ? wanted : VERSIONS[0];
  return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "agent-ops", version: "0.1.0" } };
}

async function readMessage(request: IncomingMessage): Promise<RpcMessage | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  try {
    return rpcMessage.parse(JSON.parse(Buffer.concat(chunks).toString("utf8")));
  } catch {
    return undefined; // the answer says so
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
