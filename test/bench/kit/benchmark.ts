import type { Outcome } from './measurement.ts';
import type { Scope } from './scope.ts';

export interface BenchContext {
  /**
   * Whether to use few runs and small sizes. A quick run only shows that the benchmark works. Its figures mean
   * little.
   */
  readonly quick: boolean;
  /**
   * Collects everything that the benchmark starts or creates, and removes it when the benchmark ends, even after an
   * error.
   */
  readonly scope: Scope;
  /** Prints a line about the progress. */
  readonly say: (line: string) => void;
}

/** Benchmark for one or more metrics with the same setup. */
export interface Benchmark {
  /** Names of the metrics, as in docs/measuring.md. */
  readonly metrics: readonly string[];
  run(context: BenchContext): Promise<readonly Outcome[]>;
}
