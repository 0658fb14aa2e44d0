import type { FilePart } from "@agent-ops/shared/message-parts";
import { FileText, X } from "lucide-react";
import { IconButton } from "../ui/button.tsx";

type FileChipProps = { file: FilePart; onRemove?: () => void };

/** A file of a message: a picture as itself, anything else by its name. */
export function FileChip({ file, onRemove }: FileChipProps) {
  const name = file.filename ?? file.mediaType;
  const picture = file.mediaType.startsWith("image/") && file.url.startsWith("data:image/");
  return (
    <span
      data-testid="file"
      className="inline-flex max-w-full items-center gap-2 overflow-hidden rounded-lg border border-line bg-surface text-xs"
    >
      {picture ? (
        <img
          src={file.url}
          alt={name}
          className={onRemove ? "size-9 object-cover" : "max-h-64 max-w-full object-contain"}
        />
      ) : (
        <FileText aria-hidden="true" className="ml-2.5 size-4 shrink-0 text-ink-muted" />
      )}
      {(!picture || onRemove) && <span className="max-w-48 truncate py-2 pr-2.5 font-medium">{name}</span>}
      {onRemove && <IconButton icon={X} label={`Remove ${name}`} className="mr-1 -ml-1.5 size-6" onClick={onRemove} />}
    </span>
  );
}
