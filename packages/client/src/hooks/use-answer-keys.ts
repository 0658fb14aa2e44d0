import { useEffect, useRef } from "react";
import { isTyping } from "../lib/is-typing.ts";

/** Single keys that answer the open question from anywhere that is not itself a place to type. */
export function useAnswerKeys(keys: Readonly<Record<string, () => void>>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      // Of several open questions the first one has the keys.
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      const answer = latest.current[event.key.toLowerCase()];
      if (!answer) return;
      event.preventDefault();
      answer();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
}
