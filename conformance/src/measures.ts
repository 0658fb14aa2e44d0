import type { Api } from "./api.ts";

const PREFIX = "agent_ops_";

/** What `/metrics` says, by name without the prefix; buckets have their bound in the name. */
export class Measures {
  readonly #values: ReadonlyMap<string, number>;

  private constructor(values: ReadonlyMap<string, number>) {
    this.#values = values;
  }

  static async of({ url }: { url: string }, api?: Api): Promise<Measures> {
    const response = await fetch(`${url}/metrics`, api ? { headers: api.headers } : {});
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
    return Measures.parse(await response.text());
  }

  static parse(text: string): Measures {
    const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    return new Measures(new Map(lines.map((line) => entryOf(line))));
  }

  get names(): string[] {
    return [...this.#values.keys()];
  }

  get(name: string): number {
    const value = this.#values.get(name);
    if (value === undefined) throw new Error(`There is no measure ${PREFIX}${name}.`);
    return value;
  }
}

function entryOf(line: string): [name: string, value: number] {
  const match = /^agent_ops_([a-z_]+(?:\{le="[^"]+"\})?) (-?[0-9.e+-]+)$/.exec(line);
  if (!match?.[1] || !match[2]) throw new Error(`Prometheus could not read "${line}".`);
  return [match[1], Number(match[2])];
}
