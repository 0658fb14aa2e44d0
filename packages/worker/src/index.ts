import { app } from "./app.ts";

export { PoolAgent } from "./durable-objects/pool-agent.ts";
export { SessionAgent } from "./durable-objects/session-agent.ts";
export { UserAgent } from "./durable-objects/user-agent.ts";

export default { fetch: app.fetch };
