import { z } from "zod";
import { processSettings } from "../process-settings.ts";

const name = z.string().regex(/^[A-Za-z0-9_-]{1,32}$/, "A name has letters, digits, dashes and underscores.");

/** An MCP server as a program of the host; its command never comes from the API. */
const stdioServer = z.strictObject({ type: z.literal("stdio"), ...processSettings });
const httpServer = z.strictObject({
  type: z.literal("http"),
  url: z.url({ protocol: /^https?$/ }),
  headers: z.record(z.string(), z.string()).default({}),
  /** The name of the key that goes out as `Authorization: Bearer`. */
  keyFrom: z.string().optional(),
});

const mcpServer = z.discriminatedUnion("type", [stdioServer, httpServer]);
export type McpServer = z.infer<typeof mcpServer>;
export const mcpServers = z.record(name, mcpServer);

/** Which addresses MCP servers may be reached at. */
export const mcpRules = z.strictObject({
  /** Origins beside those of the servers themselves, for redirects: `https://mcp.example.com`. */
  allow: z.array(z.url({ protocol: /^https?$/ })).default([]),
  /** Whether this machine itself may be reached; by default only where everything runs on it. */
  loopback: z.boolean().optional(),
  /** Private networks that may be reached all the same: `10.1.0.0/16`. */
  networks: z.array(z.union([z.cidrv4(), z.cidrv6()])).default([]),
});
export type McpRules = z.infer<typeof mcpRules>;
