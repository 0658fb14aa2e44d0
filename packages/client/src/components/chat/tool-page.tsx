import { isolatedDocument, type ToolPage as Page } from "../../lib/tool-output.ts";

/** A page that a tool made (`ui://`), in a frame without rights: it can be looked at. */
export function ToolPage({ page: { uri, html } }: { page: Page }) {
  return (
    <iframe
      title={`What the tool shows: ${uri}`}
      sandbox=""
      referrerPolicy="no-referrer"
      srcDoc={isolatedDocument(html)}
      className="block h-72 min-h-24 w-full resize-y rounded-lg border border-line bg-white"
    />
  );
}
