import type { Outcome } from './measurement.ts';
import type { Scope } from './scope.ts';

export interface BenchContext {
  /**
   * Whether to use few runs and small sizes. Such a run only shows that the benchmark works; its figures mean
   * little.
   */
  readonly quick: boolean;
  /** Collects everything that the benchmark starts or creates, and removes it when the benchmark ends in any way. */
  readonly scope: Scope;
  /** Prints a line about what is being done. */
  readonly say: (line: string) => void;
}

/** A benchmark for one or more metrics that need one setup. */
export interface Benchmark {
  /** Names of the metrics, as in docs/measuring.md. */
  readonly metrics: readonly string[];
  run(context: BenchContext): Promise<readonly Outcome[]>;
}
