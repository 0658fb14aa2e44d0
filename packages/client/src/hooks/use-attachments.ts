import type { FilePart } from "@agent-ops/shared/message-parts";
import { type ClipboardEvent, type DragEvent, useState } from "react";
import { readFiles } from "../lib/attachments.ts";
import { addToast } from "../stores/toast-store.ts";

/** The files of a message that is being written, and the ways they come in. */
export function useAttachments() {
  const [files, setFiles] = useState<FilePart[]>([]);
  const [dropping, setDropping] = useState(false);
  const add = async (chosen: readonly File[]) => {
    try {
      const { files: read, problem } = await readFiles(chosen, files);
      setFiles((before) => [...before, ...read]);
      if (problem !== undefined) addToast("warning", problem);
    } catch {
      addToast("error", "The file cannot be read.");
    }
  };
  const onPaste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    void add([...event.clipboardData.files]);
  };
  const drop = {
    "data-dropping": dropping,
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      setDropping(true);
    },
    onDragLeave: (event: DragEvent) => {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setDropping(false);
    },
    onDrop: (event: DragEvent) => {
      setDropping(false);
      if (event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      void add([...event.dataTransfer.files]);
    },
  };
  const remove = (removed: FilePart) => setFiles((before) => before.filter((file) => file !== removed));
  return { files, add, remove, clear: () => setFiles([]), onPaste, drop };
}
