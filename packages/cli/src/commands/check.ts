import { parseArgs } from "node:util";
import { PROFILE_NAMES, type ProfileName } from "@agent-ops/check/profile";
import { RELEASE_NAMES, type ReleaseName } from "@agent-ops/check/releases";
import { countsOf, toJson } from "@agent-ops/check/report";
import { CHECK_NAMES, type CheckOptions, EndpointError, runCheck } from "@agent-ops/check/run-check";
import { Table } from "@agent-ops/check/table";
import { UsageError } from "../usage-error.ts";

export const help = `agent-ops check URL [options]

Checks a chat endpoint, ours or any other, against what AI SDK clients of every major version need: headers, frames,
their order, errors, resuming, stopping, repeating, and chats at the same time. It sends some twenty short messages.

  --token T            sent as Authorization: Bearer T
  --header 'K: V'      a header of every request; may be repeated
  --prompt TEXT        the message to send, long enough to be answered for a second or two
  --slow-prompt TEXT   a message that is followed by a long silence, for the keep-alive check
  --error-prompt TEXT  a message that makes the answer fail in the middle
  --profile NAME       agent-ops or plain (default: what the endpoint says in x-agent-ops)
  --only NAME          one group or one check, such as resume or framing.json; may be repeated
  --sdk LIST           the releases to hold the frames against (default 5-strict,5,6,7)
  --timeout SECONDS    for one answer (default 30)
  --json               print one JSON document

Exit code: 0 nothing failed, 1 something failed, 2 the endpoint could not be checked.`;

const DEFAULT_TIMEOUT_S = "30";
const MIN_WIDTH = 60;
const MAX_WIDTH = 120;

export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      token: { type: "string" },
      header: { type: "string", multiple: true, default: [] },
      prompt: { type: "string" },
      "slow-prompt": { type: "string" },
      "error-prompt": { type: "string" },
      profile: { type: "string" },
      only: { type: "string", multiple: true, default: [] },
      sdk: { type: "string", default: RELEASE_NAMES.join() },
      timeout: { type: "string", default: DEFAULT_TIMEOUT_S },
      json: { type: "boolean", default: false },
    },
  });
  const options: CheckOptions = {
    url: endpointUrl(positionals),
    headers: requestHeaders(values.token, values.header),
    timeoutMs: timeoutMs(values.timeout),
    prompts: { prompt: values.prompt, slow: values["slow-prompt"], failing: values["error-prompt"] },
    profile: profileName(values.profile),
    only: checkNames(values.only),
    releases: releaseNames(values.sdk),
  };
  const failures = await (values.json ? printJson(options) : printTable(options));
  if (failures > 0) process.exitCode = 1;
}

async function printTable(options: CheckOptions): Promise<number> {
  const { isTTY, columns } = process.stdout;
  const width = Math.max(MIN_WIDTH, Math.min(columns || MAX_WIDTH, MAX_WIDTH));
  const table = new Table({ colour: isTTY && !process.env.NO_COLOR, width });
  const report = await checked({
    ...options,
    onStart: ({ name }) => console.log(table.head(options.url.href, name)),
    onGroup: (group) => console.log(table.group(group)),
  });
  console.log(table.summary(report));
  return countsOf(report).failed;
}

async function printJson(options: CheckOptions): Promise<number> {
  const report = await checked(options);
  console.log(toJson(report));
  return countsOf(report).failed;
}

async function checked(options: CheckOptions): ReturnType<typeof runCheck> {
  try {
    return await runCheck(options);
  } catch (error) {
    if (error instanceof EndpointError) throw new UsageError(error.message);
    throw error;
  }
}

function endpointUrl(positionals: readonly string[]): URL {
  const [text, ...rest] = positionals;
  if (text === undefined) throw new UsageError("Say which endpoint: agent-ops check URL");
  if (rest.length > 0) throw new UsageError(`One endpoint at a time; "${rest[0]}" is too much.`);
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw new UsageError(`"${text}" is not an http address.`);
  return url;
}

function requestHeaders(token: string | undefined, lines: readonly string[]): Record<string, string> {
  const headers = lines.map((line): [string, string] => {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new UsageError(`"${line}" is not a header such as 'K: V'.`);
    return [name.toLowerCase(), value];
  });
  return { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...Object.fromEntries(headers) };
}

function timeoutMs(option: string): number {
  const seconds = Number(option);
  if (!(seconds > 0 && seconds <= 3600)) throw new UsageError(`"${option}" is not a number of seconds.`);
  return seconds * 1000;
}

function profileName(option: string | undefined): ProfileName | undefined {
  const name = PROFILE_NAMES.find((known) => known === option);
  if (option !== undefined && !name) throw new UsageError(`The profiles are ${PROFILE_NAMES.join(" and ")}.`);
  return name;
}

function releaseNames(option: string): ReleaseName[] {
  return option.split(",").map((text) => {
    const name = RELEASE_NAMES.find((known) => known === text.trim());
    if (!name) throw new UsageError(`"${text}" is not one of the releases ${RELEASE_NAMES.join(", ")}.`);
    return name;
  });
}

function checkNames(names: readonly string[]): readonly string[] {
  const unknown = names.find((name) => !CHECK_NAMES.includes(name));
  if (unknown === undefined) return names;
  const groups = CHECK_NAMES.filter((name) => !name.includes("."));
  throw new UsageError(`There is no check "${unknown}". The groups are ${groups.join(", ")}.`);
}
