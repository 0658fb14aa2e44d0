import { AppError } from "@agent-ops/shared/errors";
import type { Context, Hono } from "hono";
import type { Env } from "../env.ts";
import type { Access } from "../lib/access.ts";

export type AppEnv = { Bindings: Env; Variables: { user: string; access: Access } };
export type App = Hono<AppEnv>;
export type RouteContext = Context<AppEnv>;
type Handler = (context: RouteContext) => Response | Promise<Response>;
type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Declares a path with the methods it has; any other method is told so. */
export function route(app: App, path: string, handlers: Partial<Record<Method, Handler>>): void {
  for (const [method, handler] of Object.entries(handlers)) app.on(method, path, handler);
  const allowed = Object.keys(handlers).join(", ");
  app.all(path, (context) => {
    context.header("allow", allowed);
    throw new AppError("method_not_allowed", `${context.req.method} is not possible here. Possible: ${allowed}.`);
  });
}

/** A path parameter that the path itself guarantees. */
export function pathParam(context: RouteContext, name: string): string {
  const value = context.req.param(name);
  if (value === undefined) throw new AppError("not_found", "There is nothing here.");
  return value;
}
