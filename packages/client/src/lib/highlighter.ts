import { common, createLowlight } from "lowlight";

export type Span = { text: string; className: string };

const lowlight = createLowlight(common);

/** The code as coloured spans; undefined for a language nobody knows here. */
export function highlight(code: string, language: string): Span[] | undefined {
  if (!lowlight.registered(language)) return undefined;
  const spans: Span[] = [];
  flatten(lowlight.highlight(language, code).children, "", spans);
  return spans;
}

type Node = ReturnType<typeof lowlight.highlight>["children"][number];

function flatten(nodes: readonly Node[], className: string, spans: Span[]): void {
  for (const node of nodes) {
    if (node.type === "text") spans.push({ text: node.value, className });
    if (node.type === "element") {
      const own = node.properties.className;
      flatten(node.children, Array.isArray(own) ? own.join(" ") : className, spans);
    }
  }
}
