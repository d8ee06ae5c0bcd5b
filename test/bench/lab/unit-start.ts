import type { NodeShell } from '#master/nodes/shell.ts';
import { mustRun } from './open-shell.ts';

const US_PER_MS = 1_000;

/** Now, ms of CLOCK_MONOTONIC: nodes of the lab share this machine's kernel, and so their systemd reads the same clock. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1_000_000;
}

/** When systemd started the process of a unit that runs, on the clock of {@link monotonicMs}. */
export async function startOf(shell: NodeShell, unit: string): Promise<number> {
  const us = await mustRun(shell, `systemctl show --value -p ExecMainStartTimestampMonotonic -- ${unit}`);
  if (!/^[1-9]\d*$/.test(us)) throw new Error(`systemd does not say when ${unit} was started: "${us}"`);
  return Number(us) / US_PER_MS;
}
