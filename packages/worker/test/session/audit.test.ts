import { LIMITS } from "@agent-ops/shared/limits";
import { expect, test } from "vitest";
import { AuditTable } from "../../src/durable-objects/session/audit-table.ts";
import { NodeStorage } from "../node-storage.ts";

test("ACL14: the newest 10,000 entries are kept, and read page by page", () => {
  const storage = new NodeStorage();
  storage.all(AuditTable.TABLE);
  const table = new AuditTable(storage);
  const count = LIMITS.auditEntries + 5;
  storage.transaction(() => {
    for (let ts = 1; ts <= count; ts++) table.add({ ts, userId: "ann", action: "prompt" });
  });
  const seen: number[] = [];
  for (let page = table.page(3000); ; page = table.page(3000, page.before)) {
    seen.unshift(...page.audit.map(({ ts }) => ts));
    if (page.before === undefined) break;
  }
  expect(seen).toHaveLength(LIMITS.auditEntries);
  expect([seen[0], seen.at(-1)]).toEqual([6, count]);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
});
