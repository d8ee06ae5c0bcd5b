import type { Benchmark } from '../kit/benchmark.ts';
import { planRound } from './plan-round.ts';

/** Everything that can be measured, in the order in which it is. */
export const benchmarks: readonly Benchmark[] = [planRound];
