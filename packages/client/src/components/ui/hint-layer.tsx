import { useEffect, useState } from "react";
import { Keys } from "./keys.tsx";

const DELAY_MS = 400;
const GAP_PX = 7;
const EDGE_PX = 60;

type Shown = { text: string; keys: string | undefined; left: number; top: number; below: boolean };

/**
 * The name of a picture button when it is pointed at or focused: one layer for the page, which serves whatever has
 * `data-hint`. The button carries its name for itself too, so this is for the eyes alone.
 */
export function HintLayer() {
  const [shown, setShown] = useState<Shown>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const hide = () => {
      clearTimeout(timer);
      setShown(undefined);
    };
    const show = (event: Event) => {
      const owner = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-hint]") : null;
      hide();
      if (!owner || (event.type === "focusin" && !owner.matches(":focus-visible"))) return;
      timer = setTimeout(() => setShown(placeAt(owner)), DELAY_MS);
    };
    const events = { pointerover: show, focusin: show, pointerdown: hide, focusout: hide, keydown: hide } as const;
    for (const [name, listener] of Object.entries(events)) document.addEventListener(name, listener, { passive: true });
    document.addEventListener("scroll", hide, { passive: true, capture: true });
    return () => {
      hide();
      for (const [name, listener] of Object.entries(events)) document.removeEventListener(name, listener);
      document.removeEventListener("scroll", hide, { capture: true });
    };
  }, []);
  if (!shown) return null;
  return (
    <div
      aria-hidden="true"
      data-testid="hint"
      style={{ left: shown.left, top: shown.top, translate: shown.below ? "-50% 0" : "-50% -100%" }}
      className="pointer-events-none fixed z-70 flex items-center gap-2 rounded-md bg-ink px-2 py-1 text-xs font-medium whitespace-nowrap text-surface shadow-high"
    >
      {shown.text}
      {shown.keys !== undefined && <Keys keys={shown.keys} />}
    </div>
  );
}

function placeAt(owner: HTMLElement): Shown | undefined {
  const box = owner.getBoundingClientRect();
  if (box.width === 0) return undefined;
  const below = box.top < EDGE_PX;
  return {
    text: owner.dataset.hint ?? "",
    keys: owner.dataset.keys,
    left: Math.min(Math.max(box.left + box.width / 2, EDGE_PX), innerWidth - EDGE_PX),
    top: below ? box.bottom + GAP_PX : box.top - GAP_PX,
    below,
  };
}
