import { answerTo } from "../actors/answerer.ts";
import type { Findings } from "./problems.ts";
import type { QuestionRecord, TurnRecord, TurnRecords } from "./turn-records.ts";

/** What is known of a session's prompts and answers from outside of it. */
export type Evidence = {
  /** Tags of prompts that were sent, and of those whose sender was told that they were taken. */
  sent: ReadonlySet<string>;
  taken: ReadonlySet<string>;
  /** Tags of prompts whose turn somebody wanted to stop. */
  stopped: ReadonlySet<string>;
  /** How often the agent was given each prompt, as it wrote down itself. */
  given: ReadonlyMap<string, number>;
  /** The statuses that answers over HTTP got, by question. */
  answers: ReadonlyMap<string, number[]>;
  /** Whether the runner or the agent was killed when a turn can have felt it. */
  hit(turn: TurnRecord): boolean;
};

/** Every prompt that was taken ran exactly once or is told as failed; every question was answered at most once. */
export function checkTurns(where: string, records: TurnRecords, evidence: Evidence, findings: Findings): void {
  for (const prompt of records.repeated) findings.add("doubled", where, `"${prompt}" is in the log twice`);
  const logged = new Set([...records.turns.values()].map(({ tag }) => tag));
  for (const tag of evidence.taken) {
    if (!logged.has(tag)) findings.add("lost", where, `prompt ${tag} was acknowledged and is not in the log`);
  }
  for (const turn of records.turns.values()) {
    const place = `${where} "${turn.prompt}"`;
    if (!evidence.sent.has(turn.tag ?? "")) findings.add("different", place, "nobody sent this");
    checkTurn(place, turn, evidence.given.get(turn.prompt) ?? 0, findings);
    if (turn.endings[0]?.reason === "canceled" && !evidence.stopped.has(turn.tag ?? "")) {
      findings.add("different", place, "it was canceled, and nobody asked for that");
    }
    checkError(place, turn, evidence, findings);
  }
  for (const [id, question] of records.questions) {
    checkQuestion(`${where} question ${id}`, question, evidence.answers.get(id) ?? [], findings);
    checkChoice(`${where} question ${id}`, question, records.turns.get(question.turnId), findings);
  }
}

/** BAD1: nothing but the death of its runner or agent makes a turn fail. */
function checkError(place: string, turn: TurnRecord, { stopped, hit }: Evidence, findings: Findings): void {
  const [ending] = turn.endings;
  if (ending?.reason !== "error" || turn.prompt.startsWith("/error")) return;
  if (stopped.has(turn.tag ?? "") || hit(turn)) return;
  findings.add("failed", place, `neither its runner nor its agent was killed: ${ending.error}`);
}

function checkTurn(place: string, turn: TurnRecord, given: number, findings: Findings): void {
  const [ending] = turn.endings;
  if (!ending) return findings.add("lost", place, "it never ended");
  if (turn.endings.length > 1) findings.add("doubled", place, `it ended ${turn.endings.length} times`);
  if (turn.creates > 1) findings.add("doubled", place, `it began ${turn.creates} times`);
  if (given > 1) findings.add("doubled", place, `the agent was given it ${given} times`);
  const completed = ending.reason === "end_turn";
  if (completed && given === 0) findings.add("lost", place, "it completed, but the agent was never given it");
  if (ending.reason === "error" && !ending.error) findings.add("different", place, "it failed without a word");
  checkWords(place, turn, completed, findings);
  for (const [call, statuses] of turn.calls) {
    const ends = statuses.filter((status) => status === "completed" || status === "error").length;
    if (ends > 1) findings.add("doubled", place, `tool call ${call} ended ${ends} times`);
    if (completed && ends === 0) findings.add("lost", place, `tool call ${call} never ended`);
  }
}

/** A stream of numbered words must have each of them once and in order, up to where it was broken off. */
function checkWords(place: string, turn: TurnRecord, completed: boolean, findings: Findings): void {
  const count = /^\/stream (\d+)/.exec(turn.prompt)?.[1];
  if (count === undefined) return;
  const words = turn.said.split(" ").slice(0, -1);
  const wrong = words.findIndex((word, index) => word !== `t${index}`);
  if (wrong >= 0) {
    const kind = Number(words[wrong]?.slice(1)) > wrong ? "lost" : "doubled";
    findings.add(kind, place, `word ${wrong} is ${words[wrong]}`);
  }
  if (completed && words.length < Number(count)) findings.add("lost", place, `${words.length} of ${count} words`);
  if (words.length > Number(count)) findings.add("doubled", place, `${words.length} words instead of ${count}`);
}

function checkQuestion(place: string, question: QuestionRecord, statuses: number[], findings: Findings): void {
  const { asked, resolutions } = question;
  if (asked > 1) findings.add("doubled", place, `it was asked ${asked} times`);
  if (resolutions.length > 1) findings.add("doubled", place, `it was resolved ${resolutions.length} times`);
  if (resolutions.length === 0) findings.add("lost", place, "it is still open although its turn has ended");
  const accepted = statuses.filter((status) => status === 200).length;
  if (accepted > 1) findings.add("doubled", place, `${accepted} answers were accepted`);
  const [resolution] = resolutions;
  if (accepted > 0 && resolution?.by !== "bob") {
    findings.add("lost", place, `bob's answer was accepted, and the log has ${JSON.stringify(resolution)}`);
  }
}

/** The agent says which answer it got; it must be the one in the log. */
function checkChoice(place: string, question: QuestionRecord, turn: TurnRecord | undefined, findings: Findings): void {
  const [resolution] = question.resolutions;
  if (turn?.endings[0]?.reason !== "end_turn" || !turn.prompt.startsWith("/ask")) return;
  const answer = JSON.stringify(resolution?.answer);
  const opinion = resolution?.by === "bob" ? "no" : "yes";
  if (answer !== JSON.stringify(answerTo("choice", opinion))) {
    findings.add("different", place, `${resolution?.by} did not answer ${answer}`);
  }
  const value = opinion === "no" ? "blue" : "red";
  if (!turn.said.includes(`You chose "${value}".`)) findings.add("different", place, `the agent said: ${turn.said}`);
}
