import { useState } from "react";

/** A text that is being written, kept over a reload of the tab. */
export function useDraft(name: string): [string, (text: string) => void] {
  const key = `agent-ops.draft.${name}`;
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? "");
  const set = (next: string) => {
    setText(next);
    if (next === "") sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, next);
  };
  return [text, set];
}
