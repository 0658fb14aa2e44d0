import type { MessagePart, ToolCallPart } from "@agent-ops/shared/message-parts";

export type PartGroup =
  | { kind: "tools"; at: number; parts: readonly ToolCallPart[] }
  | { kind: "part"; at: number; part: Exclude<MessagePart, ToolCallPart> };

/** Tool calls that follow each other belong together on the screen; steps between them do not show. */
export function groupParts(parts: readonly MessagePart[]): PartGroup[] {
  const groups: PartGroup[] = [];
  for (const [at, part] of parts.entries()) {
    if (part.type === "step") continue;
    const last = groups.at(-1);
    if (part.type !== "tool-call") groups.push({ kind: "part", at, part });
    else if (last?.kind === "tools") groups[groups.length - 1] = { ...last, parts: [...last.parts, part] };
    else groups.push({ kind: "tools", at, parts: [part] });
  }
  return groups;
}

export function isSilent(part: MessagePart): boolean {
  return part.type === "step" || (part.type === "finish" && part.reason === "end_turn");
}

/** Whether nothing on the screen moves although the agent works. */
export function isQuiet(parts: readonly MessagePart[]): boolean {
  const last = parts.findLast((part) => part.type !== "step");
  if (last === undefined) return true;
  if (last.type === "tool-call") return last.status === "completed" || last.status === "error";
  return (last.type === "text" || last.type === "reasoning") && last.streaming !== true;
}

/** What the agent said, as one would copy it. */
export function plainText(parts: readonly MessagePart[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
}
