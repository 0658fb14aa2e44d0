import { expect, test } from "vitest";
import { Channel } from "../src/channel.ts";

const item = (value: number) => ({ value });

async function readAll(channel: Channel<{ value: number }>): Promise<number[]> {
  const values: number[] = [];
  for await (const { value } of channel) values.push(value);
  return values;
}

test("items arrive in order, those before the end included", async () => {
  const channel = new Channel<{ value: number }>(10);
  await channel.push(item(1));
  const reading = readAll(channel);
  await channel.push(item(2));
  await channel.push(item(3));
  channel.end();
  await channel.push(item(4));
  expect(await reading).toEqual([1, 2, 3]);
});

test("a full channel makes the producer wait until one is taken", async () => {
  const channel = new Channel<{ value: number }>(2);
  await channel.push(item(1));
  let pushed = false;
  const pushing = channel.push(item(2)).then(() => {
    pushed = true;
  });
  await Promise.resolve();
  expect(pushed).toBe(false);
  await channel.next();
  await pushing;
  expect(pushed).toBe(true);
});

test("a failure is thrown once everything before it was read, and once only", async () => {
  const channel = new Channel<{ value: number }>(10);
  await channel.push(item(1));
  channel.end({ error: new Error("broken") });
  expect(await channel.next()).toEqual({ done: false, value: item(1) });
  await expect(channel.next()).rejects.toThrow("broken");
  expect(await channel.next()).toEqual({ done: true, value: undefined });
});

test("a consumer that leaves sets a waiting producer free", async () => {
  const channel = new Channel<{ value: number }>(1);
  const pushing = channel.push(item(1));
  await channel.return();
  await pushing;
  expect(await channel.next()).toEqual({ done: true, value: undefined });
});
