/**
 * Returns the CPU time that `work` takes in this process (ms). Unlike elapsed time, CPU time does not depend on other
 * programs.
 */
export function cpuTimeOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * Returns for how long `work` blocks the event loop (ms of CPU time). If `work` takes 50 ms or more, it runs again,
 * and the shorter time counts, because the first run may contain a garbage collection.
 */
export function stallOf(work: () => void): number {
  const first = cpuTimeOf(work);
  return first < 50 ? first : Math.min(first, cpuTimeOf(work));
}
