import "../lib/zod-setup.ts";
import { createRoot } from "react-dom/client";
import type { AgentChatProps } from "./agent-chat.tsx";
import { Launcher } from "./launcher.tsx";
import { styleSheet } from "./style-sheet.ts";

export type WidgetOptions = AgentChatProps & { theme?: "light" | "dark" };

/** Puts the chat on the page, in a shadow of its own: the page's styles do not reach it, nor its styles the page. */
export function mount({ theme, ...props }: WidgetOptions): () => void {
  const host = document.createElement("agent-ops-chat");
  if (theme) host.dataset.theme = theme;
  const shadow = host.attachShadow({ mode: "open" });
  shadow.adoptedStyleSheets = [styleSheet()];
  const place = shadow.appendChild(document.createElement("div"));
  document.body.append(host);
  const root = createRoot(place);
  root.render(<Launcher {...props} />);
  return () => {
    root.unmount();
    host.remove();
  };
}

/** `<script src=".../widget.js" data-session="..." data-token="...">` says everything by itself. */
function mountFromScript(script: HTMLScriptElement): void {
  const { session, token, tokenUrl, title, greeting, theme } = script.dataset;
  const source = token ?? (tokenUrl === undefined ? undefined : { url: tokenUrl });
  if (session === undefined || source === undefined) return;
  const options = { server: new URL(script.src).origin, sessionId: session, token: source };
  const looks = { ...(title ? { title } : {}), ...(greeting ? { greeting } : {}) };
  const start = () => mount({ ...options, ...looks, ...(theme === "light" || theme === "dark" ? { theme } : {}) });
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start, { once: true });
  else start();
}

if (document.currentScript instanceof HTMLScriptElement) mountFromScript(document.currentScript);
