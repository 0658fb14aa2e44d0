import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { addToast } from "../../stores/toast-store.ts";
import { IconButton } from "./button.tsx";

const SHOWN_MS = 1_500;

type CopyButtonProps = { text: string | (() => string); label: string; className?: string };

export function CopyButton({ text, label, className = "size-7" }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : text());
      setCopied(true);
    } catch {
      addToast("error", "The browser did not let this page copy.");
    }
  };
  return (
    <IconButton
      icon={copied ? Check : Copy}
      label={copied ? "Copied" : label}
      className={className}
      iconClassName={`size-3.5 ${copied ? "text-good" : ""}`}
      onClick={() => void copy()}
    />
  );
}
