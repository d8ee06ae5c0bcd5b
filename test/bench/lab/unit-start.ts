import type { NodeShell } from '#master/nodes/shell.ts';
import { mustRun } from './open-shell.ts';

const US_PER_MS = 1_000;

/**
 * Returns the current time of CLOCK_MONOTONIC (ms). The nodes of the lab share this machine's kernel, so their
 * systemd uses the same clock.
 */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1_000_000;
}

/**
 * Returns the time at which systemd started the process of a running unit (ms, on the clock of {@link monotonicMs}).
 */
export async function startOf(shell: NodeShell, unit: string): Promise<number> {
  const us = await mustRun(shell, `systemctl show --value -p ExecMainStartTimestampMonotonic -- ${unit}`);
  if (!/^[1-9]\d*$/.test(us)) throw new Error(`systemd does not say when ${unit} was started: "${us}"`);
  return Number(us) / US_PER_MS;
}
