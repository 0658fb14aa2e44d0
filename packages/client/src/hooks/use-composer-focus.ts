import { type RefObject, useEffect } from "react";
import { isTyping } from "../lib/is-typing.ts";

/**
 * A page opens ready to type, except on a phone, where that would only raise the keyboard. Later a `/` typed anywhere
 * that is not itself a place to type goes into the composer, where it begins a command.
 */
export function useComposerFocus(input: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (matchMedia("(hover: hover)").matches) input.current?.focus();
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      input.current?.focus();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [input]);
}
