import { AppError } from "@agent-ops/shared/errors";
import type { PromptInput } from "@agent-ops/shared/frames";
import { LIMITS } from "@agent-ops/shared/limits";
import { describe, expect, it } from "vitest";
import { onClientFrame } from "../../src/durable-objects/session/client-commands.ts";
import { OWNER, TestSession } from "../support/test-session.ts";

const MB = 1024 * 1024;
const TABLES = { log: "events", turns: "prompt", questions: "resolution", audit: "entry" };

/** The longest row of each table, in bytes. */
function largestRow(session: TestSession): number {
  const sizes = Object.entries(TABLES).map(([table, column]) => {
    const found = session.storage.all(`SELECT max(length(cast(${column} AS BLOB))) AS bytes FROM ${table}`)[0];
    return Number(found?.bytes ?? 0);
  });
  return Math.max(...sizes);
}

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
  return "done";
}

function file(chars: number, more: object = {}) {
  return { type: "file" as const, mediaType: "text/plain", url: "data:,".padEnd(chars, "x"), ...more };
}

/** A prompt of exactly so many bytes as JSON, in characters of three bytes as far as they fit, with a file beside. */
function promptOf(bytes: number): PromptInput {
  const bare = { id: "p", text: "", attachments: [file(LIMITS.attachmentBytes)] };
  const room = bytes - Buffer.byteLength(JSON.stringify(bare));
  return { ...bare, text: "\u65e5".repeat(Math.floor(room / 3)) + "x".repeat(room % 3) };
}

describe("LOG7: rows stay under 1 MB", () => {
  it("LOG7: the largest prompt that is taken, and not a byte more", () => {
    const session = new TestSession();
    expect(codeOf(() => session.room.prompt(OWNER, promptOf(LIMITS.promptBytes + 1)))).toBe("too_large");
    expect(codeOf(() => session.room.prompt(OWNER, promptOf(LIMITS.promptBytes)))).toBe("done");
    expect(largestRow(session)).toBeGreaterThan(LIMITS.promptBytes - 1024);
    expect(largestRow(session)).toBeLessThan(MB);
  });

  it.each([
    ["text", "\u65e5"],
    ["text", "\u0001"],
    ["files", "x"],
  ])("LOG7: a prompt that is full of %s (%j)", (where, letter) => {
    const session = new TestSession();
    const full = letter.repeat(LIMITS.promptChars);
    const input = where === "text" ? { text: full } : { text: full, attachments: [file(LIMITS.attachmentBytes)] };
    codeOf(() => session.room.prompt(OWNER, { id: "p", ...input }));
    expect(largestRow(session)).toBeLessThan(MB);
  });

  it.each([
    ["a channel's id", LIMITS.channelChars, (name: string) => ({ channel: { id: name } })],
    ["a channel's type", LIMITS.channelChars, (name: string) => ({ channel: { id: "c", type: name } })],
    ["a file's name", LIMITS.filenameChars, (name: string) => ({ attachments: [file(9, { filename: name })] })],
    ["a media type", LIMITS.mediaTypeChars, (name: string) => ({ attachments: [file(9, { mediaType: name })] })],
  ])("EV5: %s has its limit", (_, limit, more) => {
    const session = new TestSession();
    const ask = (length: number) =>
      codeOf(() => session.room.prompt(OWNER, { id: `p${length}`, text: "x", ...more("n".repeat(length)) }));
    expect([ask(limit), ask(limit + 1)]).toEqual(["done", "too_large"]);
  });

  it.each(["x", "\u65e5"])("LOG7, Q3: an answer of 64 KB, and not a byte more (%s)", (letter) => {
    const session = new TestSession();
    const { turnId, runner } = session.startTurn();
    runner.send({ type: "question", turnId, questionId: "q", kind: "text", prompt: "Well?" });
    const room = LIMITS.answerBytes - Buffer.byteLength(JSON.stringify({ value: "" }));
    const size = Buffer.byteLength(letter);
    const value = letter.repeat(Math.floor(room / size)) + "x".repeat(room % size);
    expect(codeOf(() => session.room.answer(OWNER, "q", { value: `${value}x` }))).toBe("too_large");
    expect(codeOf(() => session.room.answer(OWNER, "q", { value }))).toBe("done");
    expect(largestRow(session)).toBeLessThan(LIMITS.answerBytes + 4096);
  });

  it("EV5: a frame of a person is measured in bytes", () => {
    const session = new TestSession();
    const socket = session.read();
    const text = "\u65e5".repeat(MB / 2);
    const command = { type: "answer", questionId: "q", answer: { value: text } };
    onClientFrame(session.room, { socket, by: { user: OWNER, expiresAt: Infinity } }, JSON.stringify(command));
    expect(socket.errors).toEqual(["bad_json"]);
  });
});
