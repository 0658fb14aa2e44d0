import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import { addressRules, requireAllowedAddress, requireAllowedUrl } from "../src/agents/mcp/address-rules.ts";
import { createGuardedFetch } from "../src/agents/mcp/guarded-fetch.ts";

type Given = { allow?: string[]; loopback?: boolean; networks?: string[] };

function rulesFor({ allow = [], loopback = false, networks = [] }: Given, urls: string[] = []) {
  return addressRules({ allow, loopback, networks }, urls);
}

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<number> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}

/** A resolver that gives each time the next of these. */
function names(...addresses: string[][]) {
  let count = 0;
  const asked: string[] = [];
  const resolve = (host: string, found: (error: null, list: { address: string; family: number }[]) => void) => {
    const list = addresses[Math.min(count, addresses.length - 1)] ?? [];
    count += 1;
    asked.push(host);
    found(
      null,
      list.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  };
  return { resolve, asked };
}

describe("MCP2: addresses", () => {
  const refused = [
    "127.0.0.1",
    "127.8.8.8",
    "0.0.0.0",
    "10.0.0.1",
    "100.64.1.1",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:8.8.8.8",
    "::127.0.0.1",
    "64:ff9b::a00:1",
    "2002:a00:1::",
    "2001:0:a00:1::",
    "fc00::1",
    "fd12::1",
    "fe80::1",
    "ff02::1",
  ];

  test.each(refused)("%s is refused", (address) => {
    expect(() => requireAllowedAddress(rulesFor({}), address)).toThrow(/may not be reached/);
  });

  test.each(["8.8.8.8", "172.32.0.1", "192.167.1.1", "2606:4700::1111"])("%s is the world's", (address) => {
    expect(() => requireAllowedAddress(rulesFor({}), address)).not.toThrow();
  });

  test("this machine is reached where it is allowed, and other private networks still are not", () => {
    const rules = rulesFor({ loopback: true });
    for (const address of ["127.0.0.1", "::1"]) expect(() => requireAllowedAddress(rules, address)).not.toThrow();
    for (const address of ["10.0.0.1", "169.254.169.254", "0.0.0.0"]) {
      expect(() => requireAllowedAddress(rules, address)).toThrow();
    }
  });

  test("a private network that the host names is reached, and not its neighbours", () => {
    const rules = rulesFor({ networks: ["10.1.0.0/16"] });
    expect(() => requireAllowedAddress(rules, "10.1.2.3")).not.toThrow();
    expect(() => requireAllowedAddress(rules, "10.2.0.1")).toThrow();
  });

  test.each([
    ["http://2130706433/", "decimal"],
    ["http://0x7f000001/", "hexadecimal"],
    ["http://127.1/", "short"],
    ["http://[::1]/", "IPv6"],
    ["http://[::ffff:7f00:1]/", "mapped"],
    ["http://①②⑦.0.0.1/", "other digits"],
  ])("%s is this machine, however it is written (%s)", (text) => {
    const url = new URL(text);
    expect(() => requireAllowedUrl(rulesFor({}, [text]), url)).toThrow(/may not be reached/);
  });

  test.each([
    "http://elsewhere.example/",
    "https://mcp.example:8443/",
    "http://mcp.example/",
    "ftp://mcp.example/",
    "https://user:pass@mcp.example/",
    "file:///etc/passwd",
  ])("%s is not on the list", (text) => {
    expect(() => requireAllowedUrl(rulesFor({}, ["https://mcp.example/mcp"]), new URL(text))).toThrow();
  });
});

describe("MCP3: requests", () => {
  test("reach an allowed server on this machine", async () => {
    const port = await serve((request, response) => response.end(`${request.method} ${request.headers.host}`));
    const url = `http://127.0.0.1:${port}/mcp`;
    const fetch = createGuardedFetch(rulesFor({ loopback: true }, [url]));
    const response = await fetch(url, { method: "POST", body: "{}" });
    expect([response.status, await response.text()]).toEqual([200, `POST 127.0.0.1:${port}`]);
    await expect(createGuardedFetch(rulesFor({}, [url]))(url)).rejects.toThrow("This machine itself");
  });

  test("do not follow a name to a private address", async () => {
    const port = await serve((_, response) => response.end("secret"));
    const url = `http://mcp.example:${port}/`;
    for (const addresses of [["127.0.0.1"], ["10.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["::ffff:127.0.0.1"]]) {
      const { resolve } = names(addresses);
      await expect(createGuardedFetch(rulesFor({}, [url]), resolve)(url)).rejects.toThrow(/may not be reached/);
    }
  });

  test("connect to the address that was checked, and not to one that the name stands for a moment later", async () => {
    const port = await serve((_, response) => response.end("here"));
    const url = `http://mcp.example:${port}/`;
    const { resolve, asked } = names(["127.0.0.1"], ["10.0.0.1"]);
    const fetch = createGuardedFetch(rulesFor({ loopback: true }, [url]), resolve);
    expect(await (await fetch(url)).text()).toBe("here");
    expect(asked).toEqual(["mcp.example"]);
    await expect(fetch(url)).rejects.toThrow("Private networks");
  });

  test("do not follow a redirect to what is not allowed", async () => {
    const secret = await serve((_, response) => response.end("secret"));
    const targets = [`http://127.0.0.1:${secret}/`, "http://169.254.169.254/latest/meta-data/", "file:///etc/passwd"];
    for (const location of targets) {
      const port = await serve((_, response) => response.writeHead(307, { location }).end());
      const url = `http://127.0.0.1:${port}/`;
      await expect(createGuardedFetch(rulesFor({ loopback: true }, [url]))(url)).rejects.toThrow(/allowed/);
    }
  });

  test("check the address behind a redirect to a name on the list", async () => {
    const port = await serve((_, response) => response.writeHead(302, { location: "http://other.example/" }).end());
    const url = `http://mcp.example:${port}/`;
    const { resolve } = names(["127.0.0.1"], ["192.168.0.7"]);
    const rules = rulesFor({ loopback: true, allow: ["http://other.example"] }, [url]);
    await expect(createGuardedFetch(rules, resolve)(url)).rejects.toThrow("Private networks");
  });

  test("take no key along to another origin", async () => {
    const heard: IncomingMessage["headers"][] = [];
    const other = await serve((request, response) => {
      heard.push(request.headers);
      response.end("there");
    });
    const port = await serve((_, response) =>
      response.writeHead(307, { location: `http://127.0.0.1:${other}/` }).end(),
    );
    const url = `http://127.0.0.1:${port}/`;
    const rules = rulesFor({ loopback: true, allow: [`http://127.0.0.1:${other}`] }, [url]);
    const keys = { authorization: "Bearer key", cookie: "key", "mcp-session-id": "1", "x-api-key": "key" };
    const headers = { ...keys, accept: "text/plain", "content-type": "application/json", "mcp-protocol-version": "1" };
    const response = await createGuardedFetch(rules)(url, { method: "POST", body: "{}", headers });
    expect(await response.text()).toBe("there");
    expect(heard[0]).toMatchObject({
      accept: "text/plain",
      "content-type": "application/json",
      "mcp-protocol-version": "1",
    });
    for (const name of Object.keys(keys)) expect(heard[0]).not.toHaveProperty(name);
  });

  test("end after a few redirects, and at the first where none are wanted", async () => {
    const port = await serve((_, response) => response.writeHead(307, { location: "/again" }).end());
    const url = `http://127.0.0.1:${port}/`;
    const fetch = createGuardedFetch(rulesFor({ loopback: true }, [url]));
    await expect(fetch(url)).rejects.toThrow("too many redirects");
    await expect(fetch(url, { redirect: "error" })).rejects.toThrow("not followed");
  });

  test("end when they are aborted", async () => {
    const port = await serve(() => {});
    const url = `http://127.0.0.1:${port}/`;
    const signal = AbortSignal.timeout(50);
    const fetch = createGuardedFetch(rulesFor({ loopback: true }, [url]));
    await expect(fetch(url, { signal })).rejects.toThrow(/abort/i);
  });
});
