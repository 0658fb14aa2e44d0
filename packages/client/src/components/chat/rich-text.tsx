import { Fragment } from "react";

/** Agents write light markdown: fenced code, `code` and **strong** are shown as such, the rest as it came. */
export function RichText({ text, streaming }: { text: string; streaming: boolean }) {
  const blocks = text.split(/^```/m);
  return (
    <div className="space-y-3">
      {blocks.map((block, at) => {
        const last = streaming && at === blocks.length - 1;
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks only ever grow at the end
        return at % 2 === 1 ? <CodeBlock key={at} block={block} /> : <Prose key={at} text={block} caret={last} />;
      })}
    </div>
  );
}

function CodeBlock({ block }: { block: string }) {
  const end = block.indexOf("\n");
  const language = end === -1 ? block : block.slice(0, end);
  const code = end === -1 ? "" : block.slice(end + 1).replace(/\n$/, "");
  return (
    <figure className="overflow-hidden rounded-lg border border-line bg-raised">
      {language.trim() !== "" && (
        <figcaption className="border-b border-line px-3 py-1 font-mono text-xs text-ink-muted">{language}</figcaption>
      )}
      <pre className="overflow-x-auto p-3 font-mono text-[0.8125rem] leading-relaxed">
        <code>{code}</code>
      </pre>
    </figure>
  );
}

function Prose({ text, caret }: { text: string; caret: boolean }) {
  const trimmed = text.replace(/^\n+/, "").replace(caret ? /$^/ : /\n+$/, "");
  if (trimmed === "") return caret ? <p className="caret" /> : null;
  return <p className={`whitespace-pre-wrap wrap-anywhere ${caret ? "caret" : ""}`}>{inline(trimmed)}</p>;
}

function inline(text: string) {
  return text.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/).map((piece, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces only ever grow at the end
    <Fragment key={at}>{at % 2 === 0 ? piece : <Marked piece={piece} />}</Fragment>
  ));
}

function Marked({ piece }: { piece: string }) {
  if (piece.startsWith("**")) return <strong>{piece.slice(2, -2)}</strong>;
  return <code className="rounded bg-raised px-1 py-0.5 font-mono text-[0.86em]">{piece.slice(1, -1)}</code>;
}
