import type { Outcome } from './measurement.ts';
import type { Scope } from './scope.ts';

export interface BenchContext {
  /** Few runs and small sizes: shows that it works, its figures mean little. */
  readonly quick: boolean;
  /** What is started or made goes in here, and is taken away when the benchmark ends, however it ends. */
  readonly scope: Scope;
  /** Tells a person what is being done. */
  readonly say: (line: string) => void;
}

/** Measures one or more metrics that need the same set-up. */
export interface Benchmark {
  /** Names of docs/measuring.md. */
  readonly metrics: readonly string[];
  run(context: BenchContext): Promise<readonly Outcome[]>;
}
