import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import { Measures } from "../src/measures.ts";
import { ROOT } from "../src/product.ts";

const product = inject("product");

describe("the alert rules", () => {
  const rules = readFileSync(join(ROOT, "ops/alerts.yml"), "utf8");

  it("MET1: are rules that Prometheus can read, each with all that a rule has", () => {
    expect(rules).not.toContain("\t");
    const alerts = rules.split(/^ {6}- alert: /m).slice(1);
    expect(alerts).toHaveLength(5);
    for (const alert of alerts) {
      expect(alert).toMatch(
        /^\w+\n {8}expr: .+\n( {8}for: \d+m\n)? {8}labels: \{ severity: \w+ \}\n {8}annotations: \{ summary: ".+" \}\n$/,
      );
      const expression = /expr: (.+)/.exec(alert)?.[1] ?? "";
      expect(expression.split("(").length).toBe(expression.split(")").length);
    }
  });

  it("MET1: name only measures that exist", async () => {
    const { names } = await Measures.of(product);
    const known = new Set(names.map((name) => name.replace(/\{.*\}$/, "")));
    const used = [...rules.matchAll(/agent_ops_([a-z_]+)/g)].flatMap((match) => match[1] ?? []);
    expect(used.length).toBeGreaterThan(5);
    expect(used.filter((name) => !known.has(name))).toEqual([]);
  });
});
