import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose";

type Key = { kid: string; alg: string; privateKey: CryptoKey; publicKey: CryptoKey; jwk: JWK };

/** A small identity provider: keys of its own, an address where they can be read, and tokens signed with them. */
export class IdentityProvider {
  readonly #server: Server;
  #keys: Key[] = [];
  /** How often its keys were read. */
  reads = 0;
  /** What it answers instead of its keys. */
  failure: { status: number; body: string } | undefined;

  private constructor() {
    this.#server = createServer((_request, response) => {
      this.reads += 1;
      const keys = JSON.stringify({ keys: this.#keys.map(({ jwk }) => jwk) });
      response.writeHead(this.failure?.status ?? 200, { "content-type": "application/json" });
      response.end(this.failure?.body ?? keys);
    });
  }

  static async start(): Promise<IdentityProvider> {
    const provider = new IdentityProvider();
    provider.#server.listen(0, "127.0.0.1");
    await once(provider.#server, "listening");
    return provider;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("No address.");
    return `http://127.0.0.1:${address.port}/jwks.json`;
  }

  async addKey(kid: string, alg: string): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), kid, alg, use: "sig" };
    this.#keys.push({ kid, alg, privateKey, publicKey, jwk });
  }

  removeKey(kid: string): void {
    this.#keys = this.#keys.filter((key) => key.kid !== kid);
  }

  /** Signed with one of its keys; `header` and `claims` change what would be right. */
  sign(kid: string, claims: JWTPayload, header: { kid?: string; alg?: string } = {}): Promise<string> {
    const { alg, privateKey } = this.#key(kid);
    const defaults = { sub: "ida", aud: "agent-ops", exp: Math.floor(Date.now() / 1000) + 3600 };
    return new SignJWT({ ...defaults, ...claims }).setProtectedHeader({ alg, kid, ...header }).sign(privateKey);
  }

  /** The public key as text, which everybody can read. */
  publicText(kid: string): Promise<string> {
    return exportSPKI(this.#key(kid).publicKey);
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #key(kid: string): Key {
    const found = this.#keys.find((key) => key.kid === kid);
    if (!found) throw new Error(`No key ${kid}.`);
    return found;
  }
}
