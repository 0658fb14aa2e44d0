import { useEffect, useState } from "react";
import type { highlight, Span } from "../lib/highlighter.ts";

const LONGEST = 60_000;

type Highlight = typeof highlight;
let loaded: Highlight | undefined;
let loading: Promise<Highlight> | undefined;

function load(): Promise<Highlight> {
  loading ??= import("../lib/highlighter.ts").then((module) => {
    loaded = module.highlight;
    return module.highlight;
  });
  return loading;
}

/** The highlighter, once it is here: it comes with the first code that is shown. */
export function useHighlighter(wanted: boolean): Highlight | undefined {
  const [ready, setReady] = useState<Highlight | undefined>(() => loaded);
  useEffect(() => {
    if (!wanted || ready) return;
    let current = true;
    load().then(
      (fn) => current && setReady(() => fn),
      () => undefined, // code without colours is still code
    );
    return () => {
      current = false;
    };
  }, [wanted, ready]);
  return ready;
}

/** Coloured code, or undefined while it is plain: still being written, too long, or of an unknown language. */
export function useHighlight(code: string, language: string, settled: boolean): Span[] | undefined {
  const wanted = settled && language !== "" && code.length <= LONGEST;
  const highlighter = useHighlighter(wanted);
  const [spans, setSpans] = useState<Span[]>();
  useEffect(() => {
    setSpans(wanted ? highlighter?.(code, language.toLowerCase()) : undefined);
  }, [wanted, highlighter, code, language]);
  return wanted ? spans : undefined;
}
