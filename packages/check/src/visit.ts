import { ask, Chat } from "./chat.ts";
import { checkAnswers } from "./checks/answer.ts";
import { checkEnd } from "./checks/end.ts";
import { checkFraming } from "./checks/framing.ts";
import { checkHeaders } from "./checks/headers.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Profile } from "./profile.ts";
import { isSuccess, type Recording } from "./recording.ts";
import type { ReleaseName } from "./releases.ts";
import { readStream, type StreamView } from "./stream-view.ts";

/** A turn that ended in an error, and the next message in the same chat. */
type FailedTurn = { readonly failed: Recording; readonly next: Recording };

export type VisitSettings = {
  readonly endpoint: Endpoint;
  readonly profile: Profile;
  readonly releases: readonly ReleaseName[];
  /** The answer to the very first message. */
  readonly first: Recording;
};

/** The endpoint during one run of the check, and what is already known of it. */
export class Visit {
  readonly endpoint: Endpoint;
  readonly profile: Profile;
  readonly releases: readonly ReleaseName[];
  readonly #first: Recording;
  #views: Promise<readonly StreamView[]> | undefined;
  #failedTurn: Promise<FailedTurn> | undefined;

  constructor({ endpoint, profile, releases, first }: VisitSettings) {
    this.endpoint = endpoint;
    this.profile = profile;
    this.releases = releases;
    this.#first = first;
  }

  /** Every ordinary turn, and the failing one, asked for once. */
  views(): Promise<readonly StreamView[]> {
    this.#views ??= this.#recordViews();
    return this.#views;
  }

  /** The turn that ends in an error, where there is a way to bring it about. */
  failedTurn(prompt: string): Promise<FailedTurn> {
    this.#failedTurn ??= this.#fail(prompt);
    return this.#failedTurn;
  }

  /** The check because of which nothing can be learned from further turns. */
  obstacle(): string | undefined {
    const views = [readStream(this.#first)];
    const verdicts = { ...checkAnswers(views), ...checkHeaders(views), ...checkFraming(views), ...checkEnd(views) };
    const failures = Object.entries(verdicts).filter(([, verdict]) => verdict.status === "failed");
    return failures.map(([id]) => id).find((id) => !id.startsWith("headers.") || id === "headers.content-type");
  }

  async #recordViews(): Promise<readonly StreamView[]> {
    const recordings = [this.#first];
    if (this.obstacle() === undefined) {
      for (const prompt of this.profile.samples) recordings.push(await ask(this.endpoint, prompt));
      recordings.push(...(await this.#failedStream()));
    }
    return recordings.map(readStream);
  }

  /** A failure that was told before the stream is no stream to be judged. */
  async #failedStream(): Promise<Recording[]> {
    if (this.profile.failing === undefined) return [];
    const { failed } = await this.failedTurn(this.profile.failing);
    return isSuccess(failed) ? [failed] : [];
  }

  async #fail(prompt: string): Promise<FailedTurn> {
    const chat = new Chat(this.endpoint);
    const failed = await chat.send(prompt);
    return { failed, next: await chat.send(this.profile.echo("again")) };
  }
}
