import "./lib/zod-setup.ts";
import "./index.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { ErrorBoundary } from "./components/shell/error-boundary.tsx";
import { startAuth } from "./stores/auth-store.ts";
import { applyTheme } from "./stores/preferences-store.ts";
import { loadSettings } from "./stores/settings-store.ts";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");

applyTheme();
void loadSettings();
void startAuth();
createRoot(root).render(
  <StrictMode>
    <ErrorBoundary>
      <App />
    </ErrorBoundary>
  </StrictMode>,
);
