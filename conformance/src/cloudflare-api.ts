import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { text } from "node:stream/consumers";

/** What was uploaded: the worker's description, and the whole form around it. */
export type Upload = { metadata: unknown; form: string };

type Answer = { status?: number; errors?: { code: number; message: string }[]; result?: unknown };

const NO_SUCH_SCRIPT: Answer = { status: 404, errors: [{ code: 10_007, message: "This Worker does not exist." }] };
const NO_SUCH_SERVICE: Answer = { status: 404, errors: [{ code: 10_090, message: "This service does not exist." }] };

/** As much of Cloudflare's API as one deployment needs, for an account with one worker or none. */
export class CloudflareApi {
  readonly uploads: Upload[] = [];
  #server: Server;
  /** The names of the worker's secrets; undefined while there is no worker. */
  #secrets: readonly string[] | undefined;

  private constructor(secrets: readonly string[] | undefined) {
    this.#secrets = secrets;
    this.#server = createServer(async (request, response) => {
      const { status = 200, errors = [], result = null } = this.#answer(request, await text(request));
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify({ success: status === 200, errors, messages: [], result }));
    });
  }

  static async start(secrets: readonly string[] | undefined): Promise<CloudflareApi> {
    const api = new CloudflareApi(secrets);
    api.#server.listen(0, "127.0.0.1");
    await once(api.#server, "listening");
    return api;
  }

  /** What makes wrangler speak to this one, as somebody who is signed in. */
  get env(): Record<string, string> {
    const address = this.#server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    return {
      CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${port}`,
      CLOUDFLARE_API_TOKEN: "token",
      CLOUDFLARE_ACCOUNT_ID: "account",
    };
  }

  stop(): void {
    this.#server.close();
  }

  #answer({ method = "", url = "" }: IncomingMessage, body: string): Answer {
    const path = url.replace(/^\/accounts\/[^/]+\/workers/, "").replace(/\?.*/, "");
    if (path.endsWith("/secrets")) return this.#secrets ? { result: this.#secrets.map(secretOf) } : NO_SUCH_SCRIPT;
    if (path.startsWith("/services/")) return this.#secrets ? { result: SERVICE } : NO_SUCH_SERVICE;
    if (path.endsWith("/assets-upload-session")) return { result: { jwt: "uploaded", buckets: [] } };
    if (path.endsWith("/deployments")) return { result: { deployments: [] } };
    if (path.endsWith("/subdomain")) return { result: { subdomain: "example", enabled: true } };
    if (method === "PUT") this.uploads.push(uploadOf(body));
    return { result: { id: "agent-ops", startup_time_ms: 1, bindings: [] } };
  }
}

const SERVICE = { default_environment: { script: { last_deployed_from: "wrangler", tags: [] } } };

function secretOf(name: string): object {
  return { name, type: "secret_text" };
}

function uploadOf(form: string): Upload {
  const json = /name="metadata"\r\n\r\n(.*)\r\n/.exec(form)?.[1];
  return { metadata: JSON.parse(json ?? "null"), form };
}
