import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { AccessScene } from "../src/access/access-scene.ts";
import { declaredRoutes } from "../src/access/declared.ts";
import { IDENTITIES, type Identity } from "../src/access/identities.ts";
import { type Answer, knock, pathOf } from "../src/access/knock.ts";
import { ROUTES, type Row } from "../src/access/route-table.ts";
import { ObedientHost } from "../src/obedient-host.ts";

const product = inject("product");
const CODES: Record<number, string> = { 401: "unauthorized", 403: "forbidden", 404: "not_found", 409: "conflict" };
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/** Well-formed, and made by nobody. */
const UNMADE = `ses_${"0".repeat(30)}`;

let host: ObedientHost;
/** For everything that must change nothing; what may change something gets a session of its own. */
let shared: AccessScene;
/** How it looked to each, from the first time on. */
const looked = new Map<Identity, Promise<string>>();

beforeAll(async () => {
  host = await ObedientHost.join(product);
  shared = await AccessScene.open(product, host);
});
afterAll(() => host.leave());

async function act(row: Row, scene: AccessScene, identity: Identity, sessionId?: string): Promise<Answer> {
  const [method = ""] = row.route.split(" ");
  const body = await row.body?.(scene);
  const url = product.url + pathOf(row, scene, sessionId);
  return knock(url, scene.callers[identity], { method, body, socket: row.socket ?? false });
}

function firstLook(identity: Identity): Promise<string> {
  const first = looked.get(identity) ?? shared.fingerprint(identity);
  looked.set(identity, first);
  return first;
}

function expectedOf(status: number) {
  return { status, code: CODES[status] ?? (status >= 400 ? expect.any(String) : undefined) };
}

const titled = ROUTES.map((row) => [`${row.route}${row.socket ? " (socket)" : ""}`, row] as const);

describe("who may do what", () => {
  it("ACL1: every route of the app has its row", async () => {
    const rows = new Set(ROUTES.map(({ route }) => route));
    expect((await declaredRoutes()).toSorted()).toEqual([...rows].toSorted());
  });

  it.each(titled)("ACL1 ACL2 ACL5 ACL6 ACL11: %s", async (_title, row) => {
    for (const identity of IDENTITIES) {
      const status = row.cells[identity];
      const changes = row.effect === "changes" && status < 400;
      const scene = changes ? await AccessScene.open(product, host) : shared;
      const before = await (changes ? scene.fingerprint(identity) : firstLook(identity));
      const { code, status: got } = await act(row, scene, identity);
      expect({ identity, status: got, code }).toEqual({ identity, ...expectedOf(status) });
      if (changes) await expect.poll(() => scene.fingerprint(identity), { message: identity }).not.toBe(before);
      else expect(await scene.fingerprint(identity), identity).toBe(before);
    }
  });

  it.each(titled.filter(([, row]) => row.cells.stranger === 404 && row.route.includes("/sessions/:id")))(
    "ACL2: to a stranger %s answers as if there were no such session",
    async (_title, row) => {
      expect(await act(row, shared, "stranger")).toEqual(await act(row, shared, "stranger", UNMADE));
    },
  );

  it("ACL1: no other method does anything, whoever asks", async () => {
    const paths = [...new Set(ROUTES.map(({ route }) => route.replace(/^\w+ /, "")))].filter((path) => path !== "/*");
    const before = await shared.fingerprint("owner");
    for (const path of paths) {
      const has = ROUTES.filter(({ route }) => route.endsWith(` ${path}`));
      for (const method of METHODS.filter((name) => !has.some(({ route }) => route === `${name} ${path}`))) {
        for (const identity of ["owner", "stranger", "no token", "runner"] as const) {
          const row: Row = { ...(has[0] as Row), route: `${method} ${path}`, socket: false };
          const { status } = await act(row, shared, identity);
          expect([401, 403, 404, 405], `${method} ${path} ${identity}`).toContain(status);
        }
      }
    }
    expect(await shared.fingerprint("owner")).toBe(before);
  });
});
