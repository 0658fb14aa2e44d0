import type { MarkedToken, Token, Tokens } from "marked";
import { ScrollArea } from "../ui/scroll-area.tsx";
import { CodeBlock } from "./code-block.tsx";
import { InlineTokens } from "./inline-tokens.tsx";

type BlockTokenProps = { token: Token; growing: boolean };

/** One block. HTML is shown as the text it is. */
export function BlockToken({ token: any, growing }: BlockTokenProps) {
  const token = any as MarkedToken; // no extension adds types of its own
  const caret = growing ? "caret" : undefined;
  switch (token.type) {
    case "heading":
      return <Heading token={token} />;
    case "code":
      return <CodeBlock code={token.text} language={token.lang ?? ""} growing={growing} />;
    case "blockquote":
      return (
        <blockquote>
          <Blocks tokens={token.tokens} growing={growing} />
        </blockquote>
      );
    case "list":
      return <List token={token} growing={growing} />;
    case "table":
      return <Table token={token} />;
    case "hr":
      return <hr />;
    case "paragraph":
      return (
        <p className={caret}>
          <InlineTokens tokens={token.tokens} />
        </p>
      );
    case "text":
      return token.tokens ? <InlineTokens tokens={token.tokens} /> : token.text;
    case "checkbox":
      return <InlineTokens tokens={[token]} />;
    case "html":
      return <p className="whitespace-pre-wrap">{token.text}</p>;
    default:
      return null;
  }
}

function Blocks({ tokens, growing }: { tokens: readonly Token[]; growing: boolean }) {
  return tokens.map((token, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: blocks only ever grow at the end
    <BlockToken key={at} token={token} growing={growing && at === tokens.length - 1} />
  ));
}

/** An agent's headings stand below those of the page. */
function Heading({ token }: { token: Tokens.Heading }) {
  const Tag = (["h2", "h3", "h4", "h5"] as const)[Math.min(token.depth, 4) - 1] ?? "h5";
  const size = ["text-[1.3em]", "text-[1.15em]", "text-[1.05em]"][token.depth - 1] ?? "";
  return (
    <Tag className={size}>
      <InlineTokens tokens={token.tokens} />
    </Tag>
  );
}

function List({ token, growing }: { token: Tokens.List; growing: boolean }) {
  const items = token.items.map((item, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items only ever grow at the end
    <li key={at} className={item.task ? "task" : undefined}>
      <Blocks tokens={item.tokens} growing={growing && at === token.items.length - 1} />
    </li>
  ));
  return token.ordered ? <ol start={Number(token.start || 1)}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ token }: { token: Tokens.Table }) {
  return (
    <ScrollArea label="Table" className="overflow-x-auto rounded-xl border border-line">
      <table>
        <thead>
          <tr>
            {token.header.map((cell, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns keep their places
              <th key={at} style={{ textAlign: cell.align ?? "left" }}>
                <InlineTokens tokens={cell.tokens} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows only ever grow at the end
            <Row key={at} cells={row} />
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}

function Row({ cells }: { cells: readonly Tokens.TableCell[] }) {
  return (
    <tr>
      {cells.map((cell, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: columns keep their places
        <td key={at} style={{ textAlign: cell.align ?? "left" }}>
          <InlineTokens tokens={cell.tokens} />
        </td>
      ))}
    </tr>
  );
}
