import type { Page } from "playwright-core";

export type PageSpeed = { frames: number; slowestFrameMs: number; medianFrameMs: number; longTasksMs: number[] };

declare global {
  interface Window {
    pageSpeed?: { stop: () => PageSpeed };
  }
}

/** Watches how smoothly a page draws, by its own performance API. */
export async function watchSpeed(page: Page): Promise<void> {
  await page.evaluate(() => {
    const longTasksMs: number[] = [];
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) longTasksMs.push(Math.round(entry.duration));
    });
    observer.observe({ type: "longtask" });
    const gaps: number[] = [];
    let last = performance.now();
    let frame = requestAnimationFrame(function step(now) {
      gaps.push(now - last);
      last = now;
      frame = requestAnimationFrame(step);
    });
    const stop = () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      const sorted = gaps.toSorted((a, b) => a - b);
      return {
        frames: gaps.length,
        slowestFrameMs: Math.round(sorted.at(-1) ?? 0),
        medianFrameMs: Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0),
        longTasksMs,
      };
    };
    window.pageSpeed = { stop };
  });
}

/** What it was like since `watchSpeed`. */
export async function readSpeed(page: Page): Promise<PageSpeed> {
  const speed = await page.evaluate(() => window.pageSpeed?.stop());
  if (!speed) throw new Error("Nobody watches this page.");
  return speed;
}
