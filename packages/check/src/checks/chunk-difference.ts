import { isDeepStrictEqual } from "node:util";
import type { StreamChunk } from "@agent-ops/ai-sdk/stream-checker";
import { shown } from "../verdict.ts";

type Chunks = readonly StreamChunk[];

export function isSame(left: Chunks, right: Chunks): boolean {
  return isDeepStrictEqual(left, right);
}

/** How `got` departs from `wanted`, in words; chunks are counted from `offset`. */
export function firstDifference(wanted: Chunks, got: Chunks, offset = 0): string | undefined {
  const length = Math.max(wanted.length, got.length);
  for (let index = 0; index < length; index += 1) {
    if (isDeepStrictEqual(wanted[index], got[index])) continue;
    return `${describe(wanted, got, index)} (chunk ${offset + index})`;
  }
  return undefined;
}

function describe(wanted: Chunks, got: Chunks, index: number): string {
  const want = wanted[index];
  const have = got[index];
  if (!have) return `it ends before ${show(want)}`;
  if (!want) return `it goes on with ${show(have)}`;
  if (isDeepStrictEqual(wanted[index + 1], have)) return `${show(want)} is missing`;
  if (index > 0 && isDeepStrictEqual(wanted[index - 1], have)) return `${show(have)} comes twice`;
  return `${show(have)} comes in place of ${show(want)}`;
}

function show(chunk: StreamChunk | undefined): string {
  return shown(JSON.stringify(chunk) ?? "nothing");
}
