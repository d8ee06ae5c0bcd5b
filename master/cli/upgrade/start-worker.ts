import { OverworldError } from '#shared/errors/overworld-error.ts';
import { lastLines, runProgram } from '../machine/run-program.ts';
import { UPGRADE_UNIT } from './places.ts';
import type { UpgradeOrder } from './prepare.ts';

/**
 * Starts an upgrade in its own transient unit. The upgrade then continues when the session of the person who started
 * it ends, and systemd ensures that only one upgrade runs.
 *
 * @param run id of the upgrade
 * @returns false if an upgrade is already running
 * @throws OverworldError UPGRADE_IMPOSSIBLE
 */
export async function startWorker(run: string, { file, allowDowngrade }: UpgradeOrder): Promise<boolean> {
  const program = process.argv[1] ?? '';
  const started = await runProgram('systemd-run', [
    ...['--quiet', '--collect', `--unit=${UPGRADE_UNIT}`, '--service-type=exec'],
    '--description=Upgrade of the Overworld master',
    ...['--', process.execPath, program, 'upgrade', file, '--worker', run],
    ...(allowDowngrade ? ['--allow-downgrade'] : []),
  ]);
  if (started.code === 0) return true;
  if (await isUpgrading()) return false;
  throw new OverworldError('UPGRADE_IMPOSSIBLE', { why: `systemd-run failed: ${lastLines(started, 2)}` });
}

/** Returns whether an upgrade is running. */
export async function isUpgrading(): Promise<boolean> {
  const { stdout } = await runProgram('systemctl', ['is-active', UPGRADE_UNIT]);
  return /^(active|activating|deactivating|reloading)$/.test(stdout.trim());
}
