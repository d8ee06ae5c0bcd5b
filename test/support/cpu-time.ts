/**
 * Returns the processor time that `work` took in this process (ms). Unlike wall time, it does not depend on other
 * programs.
 */
export function cpuTimeOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
