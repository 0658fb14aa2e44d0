import type { MarkedToken, Token, Tokens } from "marked";
import { decodeEntities } from "../../lib/entities.ts";

export function InlineTokens({ tokens }: { tokens: readonly Token[] }) {
  return tokens.map((token, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces only ever grow at the end
    <InlineToken key={at} token={token as MarkedToken} /> // no extension adds types of its own
  ));
}

function InlineToken({ token }: { token: MarkedToken }) {
  switch (token.type) {
    case "strong":
      return (
        <strong>
          <InlineTokens tokens={token.tokens} />
        </strong>
      );
    case "em":
      return (
        <em>
          <InlineTokens tokens={token.tokens} />
        </em>
      );
    case "del":
      return (
        <del>
          <InlineTokens tokens={token.tokens} />
        </del>
      );
    case "codespan":
      return <code>{token.text}</code>;
    case "br":
      return <br />;
    case "link":
      return <SafeLink token={token} />;
    case "image":
      return <SafeImage token={token} />;
    case "checkbox":
      return (
        <input
          type="checkbox"
          checked={token.checked}
          readOnly
          disabled
          aria-label="Done"
          className="mr-2 align-[-1px]"
        />
      );
    case "text":
      return token.tokens ? <InlineTokens tokens={token.tokens} /> : decodeEntities(token.text);
    case "escape":
    case "html":
      return token.text;
    default:
      return null;
  }
}

/** Links of an agent lead out of this page, and only to where a link may lead. */
function SafeLink({ token }: { token: Tokens.Link }) {
  const inner = <InlineTokens tokens={token.tokens} />;
  if (!/^(https?:\/\/|mailto:)/i.test(token.href)) return inner;
  return (
    <a href={token.href} target="_blank" rel="noreferrer noopener" title={token.title ?? undefined}>
      {inner}
    </a>
  );
}

/** The page loads nothing from elsewhere: a remote picture would tell its host who reads this. */
function SafeImage({ token }: { token: Tokens.Image }) {
  if (/^data:image\//.test(token.href)) {
    return <img src={token.href} alt={token.text} className="max-h-96 rounded-xl border border-line" />;
  }
  const name = token.text === "" ? token.href : token.text;
  if (!/^https?:\/\//i.test(token.href)) return name;
  return (
    <a href={token.href} target="_blank" rel="noreferrer noopener">
      {name}
    </a>
  );
}
