import { type RefObject, useCallback, useEffect, useRef, useState } from "react";

const NEAR_PX = 48;

/** Keeps a growing list at its end while the reader is there, and leaves it alone while they read further up. */
export function useStickToBottom(): {
  scroller: RefObject<HTMLElement | null>;
  content: RefObject<HTMLDivElement | null>;
  away: boolean;
  toBottom: () => void;
} {
  const scroller = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const stuck = useRef(true);
  const [away, setAway] = useState(false);

  const toBottom = useCallback(() => {
    stuck.current = true;
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
    setAway(false);
  }, []);

  useEffect(() => {
    const box = scroller.current;
    const inner = content.current;
    if (!box || !inner) return;
    let top = box.scrollTop;
    let height = box.scrollHeight;
    // Only going up leaves the end: what was added since may well have put it out of reach, and a list that
    // shrinks is moved up by the browser.
    const onScroll = () => {
      const near = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
      if (near) stuck.current = true;
      else if (box.scrollTop < top && box.scrollHeight >= height) stuck.current = false;
      top = box.scrollTop;
      height = box.scrollHeight;
      setAway(!stuck.current);
    };
    const observer = new ResizeObserver(() => {
      if (stuck.current) box.scrollTop = box.scrollHeight;
    });
    observer.observe(inner);
    observer.observe(box);
    box.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener("scroll", onScroll);
    };
  }, []);

  return { scroller, content, away, toBottom };
}
