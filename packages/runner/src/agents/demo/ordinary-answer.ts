import { type DemoAnswer, type DemoTurn, say } from "./command.ts";

const QUOTED_CHARS = 2_000;

export function ordinaryAnswer(turn: DemoTurn): DemoAnswer {
  const which = `That is your ${ordinal(turn.prompts.length)} message here.`;
  return say(turn, `Hello! You said: "${shorten(turn.args)}" ${which} Send /help to see what I can do.`);
}

export function unknownCommand(turn: DemoTurn, name: string): DemoAnswer {
  return say(turn, `I do not know the command "/${shorten(name)}". Send /help to see the ones I know.`);
}

function shorten(text: string): string {
  return text.length <= QUOTED_CHARS ? text : `${text.slice(0, QUOTED_CHARS).toWellFormed()}...`;
}

function ordinal(count: number): string {
  const suffixes: Partial<Record<Intl.LDMLPluralRule, string>> = { one: "st", two: "nd", few: "rd" };
  const rule = new Intl.PluralRules("en", { type: "ordinal" }).select(count);
  return `${count}${suffixes[rule] ?? "th"}`;
}
