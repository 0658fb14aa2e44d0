import css from "./widget.css?inline";

const PROPERTY = /@property (--[\w-]+)\s*\{([^}]*)\}/g;

/** The widget's styles. Registered properties count for a whole document only, so they are registered there. */
export function styleSheet(): CSSStyleSheet {
  for (const [, name = "", body = ""] of css.matchAll(PROPERTY)) register(name, body);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  return sheet;
}

function register(name: string, body: string): void {
  const value = (key: string) => new RegExp(`${key}\\s*:\\s*([^;]+)`).exec(body)?.[1]?.trim();
  const syntax = value("syntax")?.replaceAll('"', "") ?? "*";
  const initialValue = value("initial-value");
  try {
    CSS.registerProperty({
      name,
      syntax,
      inherits: value("inherits") === "true",
      ...(initialValue ? { initialValue } : {}),
    });
  } catch {
    // The page, or another widget, has it already.
  }
}
