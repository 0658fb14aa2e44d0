import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { parseJsonFrame, runnerFrame } from "@agent-ops/shared/frames";
import { z } from "zod";
import { type PackedEvent, pack } from "./packed-event.ts";

export type OutboxEntry = PackedEvent & { seq: number };

/** What a file holds: the lease, the next number, and what was not acknowledged. */
export interface OutboxContent {
  epoch: number;
  next: number;
  entries: OutboxEntry[];
}

const head = z.object({ epoch: z.number(), next: z.number() });
const acknowledged = z.object({ ack: z.number() });
const line = z.union([runnerFrame, head, acknowledged]);

export function toFrame(epoch: number, entries: readonly OutboxEntry[]): string {
  const events = entries.map((entry) => entry.json).join(",");
  return `{"epoch":${epoch},"seq":${entries[0]?.seq ?? 1},"events":[${events}]}`;
}

/** Lines of JSON, appended with plain writes, which a killed process leaves complete up to the last one. */
export class OutboxFile {
  #path: string;
  #fd: number | undefined;
  /** Bytes of whole lines; whatever a failed write left beyond them is cut off. */
  size = 0;

  constructor(path: string) {
    this.#path = path;
  }

  append(text: string): void {
    const fd = this.#open();
    const bytes = Buffer.from(`${text}\n`);
    try {
      for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
    } catch (error) {
      ftruncateSync(fd, this.size);
      throw error;
    }
    this.size += bytes.length;
  }

  /** Replaces the whole file at once. */
  rewrite(content: OutboxContent): void {
    mkdirSync(dirname(this.#path), { recursive: true });
    const lines = [JSON.stringify({ epoch: content.epoch, next: content.next })];
    if (content.entries.length > 0) lines.push(toFrame(content.epoch, content.entries));
    const bytes = Buffer.from(`${lines.join("\n")}\n`);
    const draft = `${this.#path}.new`;
    writeWhole(draft, bytes);
    this.close();
    renameSync(draft, this.#path);
    this.size = bytes.length;
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  remove(): void {
    this.close();
    rmSync(this.#path, { force: true });
    this.size = 0;
  }

  #open(): number {
    this.#fd ??= openSync(this.#path, "a", 0o600);
    return this.#fd;
  }
}

function writeWhole(path: string, bytes: Buffer): void {
  const fd = openSync(path, "w", 0o600);
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
  } finally {
    closeSync(fd);
  }
}

/** Reads what an earlier process left. A line that was torn by its death was never sent, and is ignored. */
export function loadOutbox(path: string): OutboxContent {
  const content: OutboxContent = { epoch: 0, next: 1, entries: [] };
  if (!existsSync(path)) return content;
  for (const text of readFileSync(path, "utf8").split("\n")) {
    const parsed = line.safeParse(parseJsonFrame(text)?.[0]);
    if (!parsed.success) break;
    takeLine(content, parsed.data);
  }
  return content;
}

function takeLine(content: OutboxContent, read: z.infer<typeof line>): void {
  if ("ack" in read) {
    content.entries = content.entries.filter((entry) => entry.seq > read.ack);
    content.next = Math.max(content.next, read.ack + 1);
  } else if ("next" in read) {
    Object.assign(content, { epoch: read.epoch, next: read.next, entries: [] });
  } else {
    const entries = read.events.map((event, index) => ({
      ...pack(event, JSON.stringify(event)),
      seq: read.seq + index,
    }));
    content.entries.push(...entries);
    content.next = Math.max(content.next, read.seq + entries.length);
  }
}
