import { expect, test } from "vitest";
import { PresenceNews } from "../../src/durable-objects/session/presence-news.ts";
import { ManualClock } from "../manual-clock.ts";

const DELAY_MS = 2_000;

class Scene {
  readonly clock = new ManualClock();
  present: string[] = [];
  told: string[] = [];
  tellings: string[][] = [];
  news = this.start();

  start(): PresenceNews {
    return new PresenceNews({
      clock: this.clock,
      delayMs: DELAY_MS,
      present: () => this.present,
      told: {
        get: () => this.told,
        put: (names) => {
          this.told = names;
        },
      },
      tell: () => {
        this.tellings.push([...this.present]);
        this.news.toldOf([...this.present]);
      },
    });
  }

  now(...people: string[]): void {
    this.present = people;
    this.news.changed();
  }
}

test("LIFE7: a crowd that comes at once is told once, after the delay", () => {
  const scene = new Scene();
  for (let count = 1; count <= 50; count += 1) scene.now(...Array.from({ length: count }, (_, at) => `user-${at}`));
  expect(scene.clock.timers).toBe(1);
  scene.clock.advance(DELAY_MS - 1);
  expect(scene.tellings).toEqual([]);
  scene.clock.advance(1);
  expect(scene.tellings.map(({ length }) => length)).toEqual([50]);
});

test("LIFE7: a reload, and a visit that is over by then, tell nothing", () => {
  const scene = new Scene();
  scene.now("ada");
  scene.clock.advance(DELAY_MS);
  scene.now();
  scene.now("ada");
  scene.clock.advance(DELAY_MS);
  scene.now("ada", "bob");
  scene.now("ada");
  scene.clock.advance(DELAY_MS);
  expect(scene.tellings).toEqual([["ada"]]);
});

test("LIFE7: those who did not come back after a restart are taken off the lists", () => {
  const scene = new Scene();
  scene.now("ada", "bob");
  scene.clock.advance(DELAY_MS);
  scene.present = ["bob"];
  scene.clock.forgetTimers();
  scene.news = scene.start();
  scene.clock.advance(DELAY_MS);
  expect(scene.tellings).toEqual([["ada", "bob"], ["bob"]]);
});
