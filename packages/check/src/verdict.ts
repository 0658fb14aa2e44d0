/** What a check found. A warning is something that works today and hurts sooner or later; it does not fail the run. */
export type Verdict =
  | { readonly status: "passed"; readonly note?: string }
  | { readonly status: "warned" | "failed"; readonly seen: string }
  | { readonly status: "skipped"; readonly note: string };

export type Finding = { readonly severity: "warned" | "failed"; readonly seen: string };

const SHOWN_CHARS = 160;

export function passed(note?: string): Verdict {
  return note === undefined ? { status: "passed" } : { status: "passed", note };
}

export function failed(seen: string): Verdict {
  return { status: "failed", seen };
}

export function warned(seen: string): Verdict {
  return { status: "warned", seen };
}

export function skipped(note: string): Verdict {
  return { status: "skipped", note };
}

/** The gravest finding speaks for all of them. */
export function verdictOf(findings: readonly Finding[], note?: string): Verdict {
  const worst = findings.find((finding) => finding.severity === "failed") ?? findings[0];
  if (!worst) return passed(note);
  const more = findings.length - 1;
  return { status: worst.severity, seen: more === 0 ? worst.seen : `${worst.seen}; and ${more} more like it` };
}

/** Something that was received, short enough to be shown. */
export function shown(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= SHOWN_CHARS ? line : `${line.slice(0, SHOWN_CHARS).toWellFormed()}...`;
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
