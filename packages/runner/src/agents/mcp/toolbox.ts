import { dynamicTool, type JSONSchema7, jsonSchema, type Tool, type ToolSet } from "ai";
import type { ToolFacts } from "../ai-sdk/approval-policy.ts";
import type { McpConnection, McpTool } from "./connection.ts";
import { modelOutput } from "./model-output.ts";

/** What models accept as a tool's name. */
const NAME_CHARS = 64;

/** Lets a call run, or throws with the reason why it does not. */
export type Gate = (callId: string, tool: ToolFacts) => Promise<void>;

/** The tools of all servers under names of their own, each behind the gate. */
export async function gatherTools(connections: readonly McpConnection[], gate: Gate): Promise<ToolSet> {
  const found = await Promise.all(
    connections.map(async (connection) => (await connection.tools()).map((tool) => ({ connection, tool }))),
  );
  const tools: ToolSet = {};
  for (const { connection, tool } of found.flat()) {
    const name = uniqueName(tools, `${connection.name}_${tool.name}`);
    tools[name] = gatedTool({ connection, tool, name, gate });
  }
  return tools;
}

interface Gated {
  connection: McpConnection;
  tool: McpTool;
  name: string;
  gate: Gate;
}

function gatedTool({ connection, tool, name, gate }: Gated): Tool {
  const isReadOnly = tool.annotations?.readOnlyHint === true;
  const facts = { name, isReadOnly, isOurs: connection.harmless.has(tool.name) };
  return dynamicTool({
    description: tool.description,
    inputSchema: jsonSchema(schemaOf(tool)),
    execute: async (input, { toolCallId, abortSignal }) => {
      await gate(toolCallId, facts);
      return connection.call(tool.name, input, abortSignal);
    },
    toModelOutput: ({ output }) => modelOutput(output),
  });
}

/** A server's own schema; models want an object at its top. */
function schemaOf({ inputSchema }: McpTool): JSONSchema7 {
  return { ...(inputSchema as JSONSchema7), type: "object" };
}

function uniqueName(taken: ToolSet, wanted: string): string {
  const name = wanted.replace(/[^\w-]/g, "_").slice(0, NAME_CHARS);
  if (!(name in taken)) return name;
  for (let count = 2; ; count += 1) {
    const other = `${name.slice(0, NAME_CHARS - 4)}_${count}`;
    if (!(other in taken)) return other;
  }
}
