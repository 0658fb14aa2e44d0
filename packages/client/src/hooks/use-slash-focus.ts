import { type RefObject, useEffect } from "react";
import { isTyping } from "../lib/is-typing.ts";

/** `/` goes to the composer from anywhere that is not itself a place to type. */
export function useSlashFocus(input: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [input]);
}
