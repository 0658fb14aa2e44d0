import { memo, useState } from "react";
import { type Block, MarkdownReader } from "../../lib/markdown-reader.ts";
import { BlockToken } from "./block-token.tsx";

type MarkdownProps = { text: string; streaming: boolean };

/** An agent's text. Only the block that is being written renders again. */
export const Markdown = memo(function Markdown({ text, streaming }: MarkdownProps) {
  const [reader] = useState(() => new MarkdownReader());
  const blocks = reader.read(text, streaming);
  return (
    <div className="prose">
      {blocks.map((block, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks only ever grow at the end
        <MemoBlock key={at} block={block} growing={streaming && at === blocks.length - 1} />
      ))}
    </div>
  );
});

const MemoBlock = memo(function MemoBlock({ block, growing }: { block: Block; growing: boolean }) {
  return <BlockToken token={block.token} growing={growing} />;
});
