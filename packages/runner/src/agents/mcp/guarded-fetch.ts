import { type LookupAddress, lookup as systemLookup } from "node:dns";
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { Readable } from "node:stream";
import { AddressError, type AddressRules, requireAllowedAddress, requireAllowedUrl } from "./address-rules.ts";

const REDIRECTS = 5;
const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const BODILESS_STATUSES: ReadonlySet<number> = new Set([204, 205, 304]);
/** What one origin was told in confidence, another is not: any other header may be a key. */
const HARMLESS: ReadonlySet<string> = new Set(["accept", "content-type", "mcp-protocol-version"]);

type Resolve = (host: string, found: (error: Error | null, addresses: LookupAddress[]) => void) => void;
type Fetch = typeof globalThis.fetch;

const resolveBySystem: Resolve = (host, found) => systemLookup(host, { all: true }, found);

interface Ask {
  url: URL;
  method: string;
  headers: Headers;
  body: string | undefined;
  signal: AbortSignal | undefined;
}

/**
 * A fetch that reaches allowed addresses alone. Names are resolved once for each connection, and what was checked is what is
 * connected to; a redirect is checked like the first request.
 */
export function createGuardedFetch(rules: AddressRules, resolve: Resolve = resolveBySystem): Fetch {
  return async (input, init) => {
    let ask = askOf(new Request(input, { ...init, redirect: "manual" }), init);
    for (let redirects = 0; redirects <= REDIRECTS; redirects += 1) {
      requireAllowedUrl(rules, ask.url);
      const answer = await send(ask, rules, resolve);
      const location = REDIRECT_STATUSES.has(answer.statusCode ?? 0) ? answer.headers.location : undefined;
      if (location === undefined) return responseOf(answer);
      answer.destroy();
      if (init?.redirect === "error")
        throw new AddressError("The server answers with a redirect, which is not followed.");
      ask = redirected(ask, new URL(location, ask.url), answer.statusCode ?? 0);
    }
    throw new AddressError("There are too many redirects.");
  };
}

function askOf({ url, method, headers }: Request, init: RequestInit | undefined): Ask {
  const body = init?.body ?? undefined;
  if (body !== undefined && typeof body !== "string") throw new TypeError("Only text is sent.");
  return { url: new URL(url), method, headers, body, signal: init?.signal ?? undefined };
}

function redirected(ask: Ask, url: URL, status: number): Ask {
  const isSame = url.origin === ask.url.origin;
  const headers = new Headers([...ask.headers].filter(([name]) => isSame || HARMLESS.has(name)));
  const becomesGet = status === 303 || (status < 303 && ask.method === "POST");
  return becomesGet ? { ...ask, url, headers, method: "GET", body: undefined } : { ...ask, url, headers };
}

function send(ask: Ask, rules: AddressRules, resolve: Resolve): Promise<IncomingMessage> {
  const { promise, resolve: answered, reject } = Promise.withResolvers<IncomingMessage>();
  const options: RequestOptions = {
    method: ask.method,
    headers: Object.fromEntries(ask.headers),
    signal: ask.signal,
    agent: false,
    lookup: guardedLookup(rules, resolve),
  };
  const start = ask.url.protocol === "https:" ? httpsRequest : httpRequest;
  start(ask.url, options, answered).on("error", reject).end(ask.body);
  return promise;
}

function guardedLookup(rules: AddressRules, resolve: Resolve): NonNullable<RequestOptions["lookup"]> {
  return (host, options, found) => {
    resolve(host, (error, addresses) => {
      const refusal = error ?? refusalOf(rules, addresses);
      const [first] = addresses ?? [];
      if (refusal || !first) return found(refusal ?? new AddressError("The name stands for no address."), "", 4);
      if (options.all) return found(null, addresses);
      return found(null, first.address, first.family);
    });
  };
}

/** A name that stands for one forbidden address among others is not trusted with the others either. */
function refusalOf(rules: AddressRules, addresses: readonly LookupAddress[]): Error | undefined {
  try {
    for (const { address } of addresses) requireAllowedAddress(rules, address);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new AddressError(String(error));
  }
}

function responseOf(answer: IncomingMessage): Response {
  const status = answer.statusCode ?? 500;
  const headers = new Headers();
  for (const [name, values] of Object.entries(answer.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  if (BODILESS_STATUSES.has(status)) answer.resume();
  const body = BODILESS_STATUSES.has(status) ? null : Readable.toWeb(answer);
  return new Response(body as ReadableStream | null, { status, headers });
}
