import { type App, type RouteContext, route } from "./methods.ts";

/** POOL8 */
async function list(context: RouteContext): Promise<Response> {
  return context.json({ agents: await context.env.POOL.getByName("pool").agents() });
}

export function agentRoutes(app: App): void {
  route(app, "/api/agents", { GET: list });
}
