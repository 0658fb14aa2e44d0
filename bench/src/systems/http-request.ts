/** Requests as bytes on the wire, for readers on raw sockets. */
export function postRequest(path: string, body: unknown, headers: Record<string, string> = {}): string {
  const json = JSON.stringify(body);
  const length = String(Buffer.byteLength(json));
  return request("POST", path, { "content-type": "application/json", "content-length": length, ...headers }) + json;
}

export function getRequest(path: string, headers: Record<string, string> = {}): string {
  return request("GET", path, headers);
}

export function upgradeRequest(path: string, headers: Record<string, string> = {}): string {
  const key = "AAAAAAAAAAAAAAAAAAAAAA==";
  return request("GET", path, {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": key,
    ...headers,
  });
}

function request(method: string, path: string, headers: Record<string, string>): string {
  const lines = Object.entries({ host: "127.0.0.1", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}
