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
