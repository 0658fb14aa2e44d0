import { LIMITS } from "@agent-ops/shared/limits";
import type { FilePart } from "@agent-ops/shared/message-parts";

export type ReadFiles = { files: FilePart[]; problem?: string };

/** Files of a drop, a paste or a dialog as parts of a prompt, as far as they fit with those it already has. */
export async function readFiles(chosen: readonly File[], present: readonly FilePart[]): Promise<ReadFiles> {
  let room = LIMITS.attachmentBytes - present.reduce((sum, { url }) => sum + url.length, 0);
  const files: FilePart[] = [];
  for (const file of chosen) {
    const url = await dataUrl(file);
    if (url.length > room) {
      const limit = Math.round(LIMITS.attachmentBytes / 1024);
      return { files, problem: `“${file.name}” does not fit: all files of a message together may have ${limit} KB.` };
    }
    room -= url.length;
    files.push({ type: "file", mediaType: file.type || "application/octet-stream", filename: file.name, url });
  }
  return { files };
}

function dataUrl(file: File): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.onload = () => resolve(String(reader.result));
  reader.onerror = () => reject(reader.error ?? new Error("The file cannot be read."));
  reader.readAsDataURL(file);
  return promise;
}
