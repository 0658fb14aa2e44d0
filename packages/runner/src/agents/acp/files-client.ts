import { fileURLToPath } from "node:url";
import type { AgentPlace } from "../../agent-places.ts";
import { LineProcess } from "../line-process.ts";
import { type FilesAnswer, type FilesRequest, filesAnswer } from "./files-messages.ts";

const PROGRAM = fileURLToPath(new URL("./files-process.ts", import.meta.url));

type Request = FilesRequest extends infer Kind ? (Kind extends unknown ? Omit<Kind, "id"> : never) : never;

/** Files of the workspace for an agent that asks for them; the process behind it starts with the first request. */
export class FilesClient {
  #place: AgentPlace;
  #process: LineProcess | undefined;
  #waiting = new Map<number, (answer: FilesAnswer) => void>();
  #count = 0;

  constructor(place: AgentPlace) {
    this.#place = place;
  }

  ask(request: Request): Promise<FilesAnswer> {
    this.#process ??= this.#start();
    this.#count += 1;
    const id = this.#count;
    const { promise, resolve } = Promise.withResolvers<FilesAnswer>();
    this.#waiting.set(id, resolve);
    this.#process.send({ ...request, id });
    return promise;
  }

  async dispose(): Promise<void> {
    await this.#process?.kill();
  }

  #start(): LineProcess {
    const started = new LineProcess({ command: process.execPath, args: [PROGRAM], place: this.#place });
    void this.#listen(started);
    return started;
  }

  async #listen(started: LineProcess): Promise<void> {
    try {
      for await (const line of started.lines()) this.#take(filesAnswer.parse(JSON.parse(line)));
    } catch {
      // Whoever cannot be understood cannot be worked with.
      await started.kill();
    }
    const message = `Files cannot be reached (${await started.exited}).`;
    for (const [id, resolve] of this.#waiting) resolve({ id, outcome: "failed", message });
    this.#waiting.clear();
    this.#process = undefined;
  }

  #take(answer: FilesAnswer): void {
    this.#waiting.get(answer.id)?.(answer);
    this.#waiting.delete(answer.id);
  }
}
