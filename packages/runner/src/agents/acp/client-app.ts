import { type ClientApp, client, methods, RequestError } from "@agentclientprotocol/sdk";
import { z } from "zod";
import type { FilesClient } from "./files-client.ts";
import type { FilesAnswer } from "./files-messages.ts";
import type { PermissionOutcome } from "./permissions.ts";
import type { Terminals } from "./terminals.ts";
import { type PermissionRequest, permissionRequest } from "./updates.ts";

type FormAnswer = { action: "accept" | "decline" | "cancel"; content?: Record<string, unknown> };

export interface ClientAppTools {
  permit(request: PermissionRequest): Promise<PermissionOutcome>;
  fillIn(prompt: string, schema: Record<string, unknown>): Promise<FormAnswer>;
  /** A request for what is outside the workspace; it was refused. */
  onOutside(method: string, path: string): void;
  files: FilesClient | undefined;
  terminals: Terminals | undefined;
}

const lines = z.number().int().nonnegative().nullish();
const readParams = z.looseObject({ path: z.string(), line: lines, limit: lines });
const writeParams = z.looseObject({ path: z.string(), content: z.string() });
const terminalParams = z.looseObject({
  command: z.string().min(1),
  args: z.array(z.string()).nullish(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  cwd: z.string().nullish(),
  outputByteLimit: z.number().int().nonnegative().nullish(),
});
const terminalId = z.looseObject({ terminalId: z.string() });
const formParams = z.looseObject({
  message: z.string(),
  requestedSchema: z.record(z.string(), z.unknown()).optional(),
});

/** Our side of the protocol: what an agent may ask of us. */
export function clientApp(tools: ClientAppTools): ClientApp {
  const app = client({ name: "agent-ops" })
    .onRequest(methods.client.session.requestPermission, permissionRequest, async ({ params }) => ({
      outcome: await tools.permit(params),
    }))
    .onRequest(methods.client.elicitation.create, formParams, ({ params }) =>
      params.requestedSchema ? tools.fillIn(params.message, params.requestedSchema) : { action: "decline" as const },
    );
  if (tools.files) offerFiles(app, tools, tools.files);
  if (tools.terminals) offerTerminals(app, tools, tools.terminals);
  return app;
}

function offerFiles(app: ClientApp, tools: ClientAppTools, files: FilesClient): void {
  const { readTextFile, writeTextFile } = methods.client.fs;
  const done = (method: string, path: string, answer: FilesAnswer): string => {
    if (answer.outcome === "done") return answer.content;
    if (answer.outcome === "outside") tools.onOutside(method, path);
    throw RequestError.invalidParams(undefined, answer.message);
  };
  app
    .onRequest(readTextFile, readParams, async ({ params: { path, line, limit } }) => {
      const answer = await files.ask({ type: "read", path, line: line ?? undefined, limit: limit ?? undefined });
      return { content: done(readTextFile, path, answer) };
    })
    .onRequest(writeTextFile, writeParams, async ({ params: { path, content } }) => {
      done(writeTextFile, path, await files.ask({ type: "write", path, content }));
      return {};
    });
}

function offerTerminals(app: ClientApp, tools: ClientAppTools, terminals: Terminals): void {
  const { create, output, waitForExit, kill, release } = methods.client.terminal;
  const of = (params: { terminalId: string }) => terminals.get(params.terminalId);
  app
    .onRequest(create, terminalParams, async ({ params }) => {
      const { args, env, ...rest } = params;
      try {
        return { terminalId: await terminals.create({ ...rest, args: args ?? [], env: env ?? [] }) };
      } catch (error) {
        if (error instanceof Error && error.name === "OutsideError") tools.onOutside(create, params.cwd ?? "");
        throw RequestError.invalidParams(undefined, error instanceof Error ? error.message : String(error));
      }
    })
    .onRequest(output, terminalId, ({ params }) => of(params).output)
    .onRequest(waitForExit, terminalId, ({ params }) => of(params).exited)
    .onRequest(kill, terminalId, ({ params }) => {
      of(params).kill();
      return {};
    })
    .onRequest(release, terminalId, ({ params }) => {
      terminals.release(params.terminalId);
      return {};
    });
}
