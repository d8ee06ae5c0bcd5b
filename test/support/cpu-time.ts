/**
 * Processor time that work took in this process, ms. Other programs do not make it longer, as they do with the
 * time that passes.
 */
export function cpuTimeOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
