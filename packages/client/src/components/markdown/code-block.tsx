import { useHighlight } from "../../hooks/use-highlight.ts";
import type { Span } from "../../lib/highlighter.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { ScrollArea } from "../ui/scroll-area.tsx";

type CodeBlockProps = { code: string; language: string; growing: boolean };

export function CodeBlock({ code, language, growing }: CodeBlockProps) {
  const name = language.split(/\s/)[0] ?? "";
  const spans = useHighlight(code, name, !growing);
  return (
    <figure className="group/code overflow-hidden rounded-xl border border-line bg-raised/60">
      <figcaption className="flex h-8 items-center justify-between border-b border-line pr-1 pl-3.5">
        <span className="font-mono text-2xs text-ink-muted">{name === "" ? "text" : name}</span>
        <CopyButton text={code} label="Copy code" className="size-6.5" />
      </figcaption>
      <CodeArea label={name === "" ? "Code" : `Code in ${name}`}>
        {spans ? <Spans spans={spans} /> : code}
        {growing && <span className="caret" />}
      </CodeArea>
    </figure>
  );
}

function CodeArea({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <ScrollArea label={label} className="overflow-x-auto">
      <pre className="px-3.5 py-3 font-mono text-code">
        <code>{children}</code>
      </pre>
    </ScrollArea>
  );
}

export function Spans({ spans }: { spans: readonly Span[] }) {
  return spans.map(({ text, className }, at) =>
    className === "" ? (
      text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: spans of one text keep their places
      <span key={at} className={className}>
        {text}
      </span>
    ),
  );
}
