import type { ReaderPool } from "./readers/reader-pool.ts";
import type { Product } from "./systems/product.ts";
import type { System, SystemName } from "./systems/system.ts";

/** Everything a case works with. */
export interface Bench {
  readonly pool: ReaderPool;
  readonly product: Product;
  /** Another product, for figures that depend on how old a process is. */
  freshProduct(inspectorPort?: number): Promise<Product>;
  readonly systems: readonly System[];
  readonly quick: boolean;
  /** Descriptors a process may have open. */
  readonly descriptors: number;
  /** Waits a little for other programs of this machine to be done. */
  quiet(): Promise<void>;
  /** Something the person who reads the table must know. */
  note(text: string): void;
}

/** What one system showed in one case. */
export type Measure = { system: SystemName; values: Record<string, number> };

export type Column = {
  key: string;
  title: string;
  digits: number;
  /** Shows how the others compare with ours: whose figure is better when it is higher, or lower. */
  better?: "higher" | "lower";
};

export interface BenchCase {
  readonly name: string;
  readonly title: string;
  /** Whether `--quick` has it too. */
  readonly quick: boolean;
  readonly columns: readonly Column[];
  run(bench: Bench): Promise<Measure[]>;
}
