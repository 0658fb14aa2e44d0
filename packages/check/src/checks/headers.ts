import { hasBody, isEventStream, type StreamView } from "../stream-view.ts";
import { type Finding, skipped, type Verdict, verdictOf } from "../verdict.ts";
import type { Verdicts } from "./answer.ts";

type Expectation = { readonly header: string; readonly accepts: RegExp; readonly severity: Finding["severity"] };

export function checkHeaders(views: readonly StreamView[]): Verdicts {
  const answered = views.filter(hasBody);
  const streams = answered.filter(isEventStream);
  const of = (header: string, accepts: RegExp, severity: Finding["severity"] = "failed") =>
    check(streams, { header, accepts, severity });
  return {
    "headers.content-type": check(answered, {
      header: "content-type",
      accepts: /^text\/event-stream\b/i,
      severity: "failed",
    }),
    "headers.cache-control": of("cache-control", /\b(?:no-cache|no-store)\b/i),
    "headers.protocol": of("x-vercel-ai-ui-message-stream", /^v1$/),
    "headers.buffering": of("x-accel-buffering", /^no$/i, "warned"),
  };
}

function check(views: readonly StreamView[], { header, accepts, severity }: Expectation): Verdict {
  if (views.length === 0) return skipped("no event stream came");
  const findings = views.flatMap(({ recording }): Finding[] => {
    const value = recording.headers.get(header);
    if (value !== undefined && accepts.test(value)) return [];
    return [{ severity, seen: `${recording.name}: ${value === undefined ? `no ${header}` : `${header}: ${value}`}` }];
  });
  return verdictOf(findings);
}
