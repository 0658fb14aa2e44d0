import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Markdown } from "../src/components/markdown/markdown.tsx";

const render = (text: string, streaming = false) => renderToStaticMarkup(createElement(Markdown, { text, streaming }));

test("lists, tasks, tables and code", () => {
  const html = render("- [x] done\n- [ ] **todo**\n\n| a | b |\n| - | -: |\n| 1 | 2 |\n\n```ts\nlet a = 1 < 2;\n```\n");
  expect(html).toContain('<input type="checkbox"');
  expect(html).toContain("<strong>todo</strong>");
  expect(html).toContain('<td style="text-align:right">2</td>');
  expect(html).toContain("let a = 1 &lt; 2;");
});

test("markup of an agent is text, and its links lead only to where links may", () => {
  const html = render('<img src=x onerror="alert(1)"> [bad](javascript:alert(1)) [good](https://example.com) &amp;');
  expect(html).not.toContain("<img");
  expect(html).not.toContain('href="javascript:');
  expect(html).toContain('<a href="https://example.com" target="_blank" rel="noreferrer noopener">good</a>');
  expect(html).toContain("&amp;");
  expect(html).not.toContain("&amp;amp;");
});

test("a picture from elsewhere is a link: showing it would tell its host who reads this", () => {
  expect(render("![chart](https://example.com/a.png)")).toContain('<a href="https://example.com/a.png"');
  expect(render("![dot](data:image/png;base64,AA)")).toContain("<img");
});

test("what is still being written has a caret, and half a word of it is already bold", () => {
  expect(render("Some **bo", true)).toMatch(/<p class="caret">Some <strong>bo<\/strong><\/p>/);
});
