import { cpus } from "node:os";
import { setTimeout as delay } from "node:timers/promises";

const SAMPLE_MS = 200;
const IDLE_SHARE = 0.8;

/** Waits until this machine has little else to do; says whether that moment came within `ms`. */
export async function untilQuiet(ms: number): Promise<boolean> {
  for (const deadline = performance.now() + ms; ; ) {
    const before = times();
    await delay(SAMPLE_MS);
    const after = times();
    if ((after.idle - before.idle) / (after.all - before.all) >= IDLE_SHARE) return true;
    if (performance.now() > deadline) return false;
  }
}

function times(): { idle: number; all: number } {
  const all = cpus().map(({ times }) => times);
  const idle = all.reduce((sum, time) => sum + time.idle, 0);
  return { idle, all: idle + all.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, 0) };
}
