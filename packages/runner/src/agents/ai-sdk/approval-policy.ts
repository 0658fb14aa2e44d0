import type { Approvals, Decision } from "./settings.ts";

export interface ToolFacts {
  /** As the model sees it. */
  name: string;
  /** What its server says of it. */
  isReadOnly: boolean;
  /** Whether it is one of the runner's own that ask people themselves or change nothing that matters. */
  isOurs: boolean;
}

/** What the host's configuration says of a tool: the longest pattern that fits, then whether it only reads. */
export function decide({ tools, readOnly, default: otherwise }: Approvals, tool: ToolFacts): Decision {
  const { name, isReadOnly, isOurs } = tool;
  const fitting = Object.keys(tools).filter((pattern) => fits(pattern, name));
  const [closest] = fitting.sort((one, other) => other.length - one.length);
  const said = closest === undefined ? undefined : tools[closest];
  return said ?? (isOurs ? "allow" : undefined) ?? (isReadOnly ? readOnly : undefined) ?? otherwise;
}

function fits(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
