import type { Refuses } from "../releases.ts";
import type { StreamView } from "../stream-view.ts";
import { type Finding, plural, shown, skipped, type Verdict, verdictOf } from "../verdict.ts";

/** What one release's own schema has against the frames; `undefined` where the release is not at hand. */
export async function checkSchema(views: readonly StreamView[], refuses: Refuses | undefined): Promise<Verdict> {
  const payloads = views.flatMap((view) => view.payloads.flatMap((payload) => ("value" in payload ? [payload] : [])));
  if (payloads.length === 0) return skipped("no frames came");
  if (!refuses) return skipped("this release of the SDK is not installed");
  const distinct = new Map(payloads.map(({ text, value }) => [text, value]));
  const findings: Finding[] = [];
  for (const [text, value] of distinct) {
    const reason = await refuses(value);
    if (reason !== undefined)
      findings.push({ severity: "failed", seen: `${shown(text)} is refused: ${shown(reason)}` });
  }
  return verdictOf(findings, plural(payloads.length, "frame"));
}
