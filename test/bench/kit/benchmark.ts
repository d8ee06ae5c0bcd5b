import type { Outcome } from './measurement.ts';
import type { Scope } from './scope.ts';

export interface BenchContext {
  /** Whether to use few runs and small sizes: a functional check whose figures mean little. */
  readonly quick: boolean;
  /** Collects everything that is started or created, and removes it when the benchmark ends in any way. */
  readonly scope: Scope;
  /** Prints what is being done. */
  readonly say: (line: string) => void;
}

/** Measures one or more metrics that need the same setup. */
export interface Benchmark {
  /** Names as in docs/measuring.md. */
  readonly metrics: readonly string[];
  run(context: BenchContext): Promise<readonly Outcome[]>;
}
