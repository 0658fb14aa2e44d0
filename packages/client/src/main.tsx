import "./lib/zod-setup.ts";
import "./index.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { startAuth } from "./stores/auth-store.ts";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");

void startAuth();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
