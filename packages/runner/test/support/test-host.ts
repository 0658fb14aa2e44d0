import { ToolHost } from "../../src/mcp-server/tool-host.ts";

/** A host whose agents cannot make sessions. */
export const testHost = {
  isOneMachine: true,
  equipment: { host: new ToolHost(), spawn: () => Promise.reject(new Error("No sessions are made here.")) },
};
