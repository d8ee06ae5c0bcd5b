/**
 * Returns the processor time that `work` takes in this process (ms). Unlike elapsed time, it does not depend on
 * other programs.
 */
export function cpuTimeOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * Returns for how long `work` blocks the event loop (ms of processor time). What takes long is measured twice, because
 * a garbage collection takes time only once.
 */
export function stallOf(work: () => void): number {
  const first = cpuTimeOf(work);
  return first < 50 ? first : Math.min(first, cpuTimeOf(work));
}
