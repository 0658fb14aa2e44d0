import { useEffect, useRef } from "react";

/** Command or Control with a key, from anywhere. `prepare` is called when only the first of the two is down. */
export function useShortcut(key: string, act: () => void, prepare?: () => void): void {
  const latest = useRef({ act, prepare });
  latest.current = { act, prepare };
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === "Control" || event.key === "Meta") latest.current.prepare?.();
      if (event.key.toLowerCase() !== key || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      latest.current.act();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [key]);
}
