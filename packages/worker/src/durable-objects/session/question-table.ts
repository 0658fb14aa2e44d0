import { type Question, type QuestionResolution, question, questionResolution } from "@agent-ops/shared/questions";
import type { RoomStorage } from "./storage.ts";

export type StoredQuestion = { question: Question; resolution: QuestionResolution | undefined };

/** Every question that was ever asked, and what became of it. */
export class QuestionTable {
  static readonly TABLES = [
    "CREATE TABLE questions (question_id TEXT PRIMARY KEY, turn_id TEXT NOT NULL, body TEXT NOT NULL, resolution TEXT)",
    "CREATE INDEX turn_questions ON questions (turn_id)",
  ];

  #storage: RoomStorage;

  constructor(storage: RoomStorage) {
    this.#storage = storage;
  }

  add(value: Question): void {
    this.#storage.all(
      "INSERT OR IGNORE INTO questions (question_id, turn_id, body) VALUES (?, ?, ?)",
      value.questionId,
      value.turnId,
      JSON.stringify(value),
    );
  }

  resolve(questionId: string, resolution: QuestionResolution): void {
    const body = JSON.stringify(resolution);
    this.#storage.all("UPDATE questions SET resolution = ? WHERE question_id = ?", body, questionId);
  }

  get(questionId: string): StoredQuestion | undefined {
    return this.#select("question_id", questionId)[0];
  }

  ofTurn(turnId: string): StoredQuestion[] {
    return this.#select("turn_id", turnId);
  }

  openOf(turnId: string): Question[] {
    return this.ofTurn(turnId).flatMap((asked) => (asked.resolution ? [] : [asked.question]));
  }

  settledOf(turnId: string): string[] {
    return this.ofTurn(turnId).flatMap(({ question: { questionId }, resolution }) => (resolution ? [questionId] : []));
  }

  #select(column: "question_id" | "turn_id", value: string): StoredQuestion[] {
    const rows = this.#storage.all(`SELECT body, resolution FROM questions WHERE ${column} = ? ORDER BY rowid`, value);
    return rows.map(({ body, resolution }) => ({
      question: question.parse(JSON.parse(String(body))),
      resolution: resolution === null ? undefined : questionResolution.parse(JSON.parse(String(resolution))),
    }));
  }
}
