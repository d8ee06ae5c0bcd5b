import type { HeapProfiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';

/**
 * Mean distance between two samples (bytes). With this distance, the smallest measured round results in a few hundred
 * samples.
 */
const SAMPLING_INTERVAL_BYTES = 4_096;

/**
 * Returns the number of bytes that one run of `work` allocates, including bytes that are freed during the run. Uses
 * V8's sampling heap profiler over several runs, because a comparison of heap sizes would not count freed memory.
 */
export async function allocatedBytes(work: () => unknown, runs: number): Promise<number> {
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.enable');
    await session.post('HeapProfiler.startSampling', {
      samplingInterval: SAMPLING_INTERVAL_BYTES,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    });
    for (let i = 0; i < runs; i += 1) work();
    const { profile } = await session.post('HeapProfiler.stopSampling');
    return bytesOf(profile.head) / runs;
  } finally {
    session.disconnect();
  }
}

function bytesOf({ selfSize, children }: HeapProfiler.SamplingHeapProfileNode): number {
  return children.reduce((sum, child) => sum + bytesOf(child), selfSize);
}
