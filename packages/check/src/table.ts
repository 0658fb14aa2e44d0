import { styleText } from "node:util";
import { CATALOGUE, CHECK_IDS } from "./catalogue.ts";
import { type CheckResult, countsOf, type GroupResult, type Report } from "./report.ts";
import type { Verdict } from "./verdict.ts";

export type TableStyle = { readonly colour: boolean; readonly width: number };
type Format = "green" | "red" | "yellow" | "dim" | "bold";

const MARKS: Record<Verdict["status"], { readonly mark: string; readonly format: Format }> = {
  passed: { mark: "✓", format: "green" },
  warned: { mark: "!", format: "yellow" },
  failed: { mark: "✗", format: "red" },
  skipped: { mark: "–", format: "dim" },
};
const ID_WIDTH = Math.max(...CHECK_IDS.map((id) => id.length));
const DETAIL_INDENT = " ".repeat(6);
const LABEL_WIDTH = 6;
const MARK_WIDTH = 4;
const NOTE_LEAD = " · ";
/** Less than this is not worth telling. */
const SHOWN_MS = 50;

/** The report as people read it, piece by piece, so that it can be shown while the check runs. */
export class Table {
  readonly #style: TableStyle;

  constructor(style: TableStyle) {
    this.#style = style;
  }

  head(url: string, profile: string): string {
    return `${this.#paint("bold", "agent-ops check")} ${url}\n${this.#paint("dim", `profile: ${profile}`)}`;
  }

  group({ name, ms, checks }: GroupResult): string {
    const time = ms < SHOWN_MS ? "" : ` ${this.#paint("dim", seconds(ms))}`;
    return ["", `${this.#paint("bold", name)}${time}`, ...checks.flatMap((check) => this.#check(check))].join("\n");
  }

  summary(report: Report): string {
    const counts = countsOf(report);
    const told = (["failed", "warned", "passed", "skipped"] as const).filter((status) => counts[status] > 0);
    const parts = told.map((status) => this.#paint(MARKS[status].format, `${counts[status]} ${status}`));
    const { mark, format } = MARKS[counts.failed > 0 ? "failed" : "passed"];
    return `\n${this.#paint(format, mark)} ${parts.join(", ")} ${this.#paint("dim", `in ${seconds(report.ms)}`)}`;
  }

  #check({ id, verdict }: CheckResult): string[] {
    const { mark, format } = MARKS[verdict.status];
    const { title, why, fix } = CATALOGUE[id];
    const line = `${id.padEnd(ID_WIDTH)}  ${title}`;
    const marked = `  ${this.#paint(format, mark)} ${line}`;
    if ("seen" in verdict) {
      return [marked, ...this.#detail("seen", verdict.seen), ...this.#detail("why", why), ...this.#detail("fix", fix)];
    }
    const { note = "" } = verdict;
    if (note === "") return [marked];
    const fits = MARK_WIDTH + line.length + NOTE_LEAD.length + note.length <= this.#style.width;
    return fits ? [`${marked}${this.#paint("dim", NOTE_LEAD + note)}`] : [marked, ...this.#detail("note", note)];
  }

  #detail(label: string, text: string): string[] {
    const width = this.#style.width - DETAIL_INDENT.length - LABEL_WIDTH;
    return wrap(text, width).map((line, index) => {
      const lead = index === 0 ? label.padEnd(LABEL_WIDTH) : " ".repeat(LABEL_WIDTH);
      return `${DETAIL_INDENT}${this.#paint("dim", lead)}${line}`;
    });
  }

  #paint(format: Format, text: string): string {
    return this.#style.colour ? styleText(format, text, { validateStream: false }) : text;
  }
}

/** Breaks at spaces; a word that is too long for a line gets one of its own. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
