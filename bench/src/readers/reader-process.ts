import { type GroupStats, numberedRequest, type ReaderRequest } from "./protocol.ts";
import { ReaderGroup } from "./reader-group.ts";

/** The load generator: a process of its own, so that readers wait for nothing but their own bytes. */
const groups = new Map<string, ReaderGroup>();

async function answer(request: ReaderRequest): Promise<GroupStats | undefined> {
  const group = groups.get(request.group) ?? new ReaderGroup();
  groups.set(request.group, group);
  switch (request.type) {
    case "open":
      await group.open(request);
      return group.stats();
    case "collect":
      return group.collect(request.timeoutMs);
    case "close":
      group.close();
      groups.delete(request.group);
      return undefined;
    default:
      return request satisfies never;
  }
}

process.on("message", (message) => {
  const { id, request } = numberedRequest.parse(message);
  answer(request).then(
    (stats) => process.send?.({ id, stats }),
    (error: unknown) => process.send?.({ id, error: String(error) }),
  );
});
process.on("disconnect", () => process.exit(0));
process.send?.({ type: "ready" });
