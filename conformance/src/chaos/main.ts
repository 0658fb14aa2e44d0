import { parseArgs } from "node:util";
import { isSound, runCampaign } from "./campaign.ts";
import { report } from "./report.ts";

const HELP = `npm run chaos [-- OPTIONS]

Runs the product with many sessions and clients while its processes are killed and its connections
break, then holds every byte that every client got, and every stored message, against the logs on
disk. Fails where anything was lost or doubled, where a list of sessions stays wrong, where a turn
failed although neither its runner nor its agent was killed, or where no kill of workerd fell inside
a batch that was not yet written or inside a turn that went on to its end.

  --seed N      the same seed makes the same plan (default: a new one, which is printed)
  --minutes M   for how long faults come (default 5)
  --sessions K  how many sessions run at once (default 6)`;

const show = (text: string) => void process.stdout.write(`${text}\n`);

function positive(name: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new Error(`--${name} takes a number above 0, not "${text}".`);
}

/** Whoever stops the campaign wants its processes gone too. */
function stopSignal(): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => reject(new Error(`Stopped by ${signal}.`)));
  return promise;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
      minutes: { type: "string", default: "5" },
      sessions: { type: "string", default: "6" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return show(HELP);
  const seed = Math.floor(positive("seed", values.seed));
  const sessions = Math.ceil(positive("sessions", values.sessions));
  const size = { sessions, seconds: positive("minutes", values.minutes) * 60 };
  show(`seed ${seed}`);
  const outcome = await runCampaign(seed, size, stopSignal());
  show(`\n${report(outcome)}`);
  if (!isSound(outcome)) process.exitCode = 1;
}

await main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
process.exit();
