import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '#shared/errors/overworld-error.ts';
import { SSH_UNIT, UNIT } from '#master/doctor/service-unit.ts';
import { withMaster } from '../client.ts';
import { mustRun, runProgram } from '../machine/run-program.ts';
import type { MasterObservation } from './decide/judge-start.ts';
import { PROGRAM } from './places.ts';

/** Maximum duration of a regular start or stop (ms). The unit allows the master 60 s for its shutdown. */
const CONTROL_TIMEOUT_MS = 120_000;

/** Time that a failed version gets for its shutdown before it is killed (ms). */
const FAILED_STOP_MS = 10_000;

/** Maximum time of one request to the master (ms). */
const ANSWER_TIMEOUT_MS = 2_000;

/** Maximum number of log lines that are shown to explain a failure. */
const LOG_LINES = 20;

/**
 * Reads the state of the master's unit from systemd.
 *
 * @throws OverworldError COMMAND_FAILED
 */
export async function readState(): Promise<MasterObservation['unit'] & { readonly pid: number }> {
  const names = ['ActiveState', 'SubState', 'NRestarts', 'MainPID', 'ExecMainStatus', 'ExecMainCode'];
  const shown = await mustRun('systemctl', [
    'show',
    `${UNIT}.service`,
    ...names.flatMap((name) => ['-p', name]),
  ]);
  const valueOf = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(shown)?.[1]?.trim() ?? '';
  // CLD_EXITED (waitid(2)): the status is an exit code and not a signal.
  const isExit = valueOf('ExecMainCode') === '1';
  return {
    active: valueOf('ActiveState'),
    sub: valueOf('SubState'),
    restarts: Number(valueOf('NRestarts')) || 0,
    exit: `${isExit ? 'exit code' : 'signal'} ${valueOf('ExecMainStatus')}`,
    pid: Number(valueOf('MainPID')) || 0,
  };
}

/**
 * Asks the master about its readiness, with a time limit of 2 s. Null if no master answers. An older version does not
 * know this request. It counts as synced as soon as it answers anything, because it only answers after its first
 * round.
 */
export async function askReadiness(data: string): Promise<MasterObservation['answer']> {
  try {
    return await withMaster(
      data,
      async (master) => {
        try {
          return await master.call('master.readiness', {});
        } catch (error) {
          // The master does not know this request.
          if (!hasCode(error, 'MASTER_VERSION_MISMATCH')) throw error;
          const { version } = await master.call('master.info', {});
          return { version, hasSynced: true, sshReady: true, observed: [], unobserved: [] };
        }
      },
      ANSWER_TIMEOUT_MS,
    );
  } catch {
    return null;
  }
}

/**
 * Returns whether a master that runs the installed program makes decisions. A master that was started before the
 * program was replaced runs the replaced program, which may have the same version number.
 *
 * @throws OverworldError COMMAND_FAILED
 */
export async function isInstalledDeciding(data: string): Promise<boolean> {
  const answer = await askReadiness(data);
  if (answer?.hasSynced !== true) return false;
  const { pid } = await readState();
  // This link leads to the program that the process runs, even after that file was replaced.
  return isSameFile(`/proc/${pid}/exe`, join(PROGRAM, 'bin', 'node'));
}

/** Returns whether two paths lead to the same file. False if one of them leads to no file. */
export async function isSameFile(path: string, other: string): Promise<boolean> {
  const find = (one: string) => stat(one, { bigint: true }).catch(() => null);
  const [found, expected] = await Promise.all([find(path), find(other)]);
  return found !== null && found.dev === expected?.dev && found.ino === expected.ino;
}

/**
 * Starts the master. Resolves as soon as its process runs, which is before it serves.
 *
 * @throws OverworldError COMMAND_FAILED, also after 2 minutes
 */
export async function startMasterUnit(): Promise<void> {
  await mustRun('systemctl', ['start', UNIT], { timeoutMs: CONTROL_TIMEOUT_MS });
}

/**
 * Stops the master. Resolves when its process has exited.
 *
 * @throws OverworldError COMMAND_FAILED, also after 2 minutes
 */
export async function stopMasterUnit(): Promise<void> {
  await mustRun('systemctl', ['stop', UNIT], { timeoutMs: CONTROL_TIMEOUT_MS });
}

/**
 * Stops a master that may hang. Kills it if the stop fails or takes longer than 10 s. Also resets the unit's count of
 * failed starts.
 *
 * @throws OverworldError COMMAND_FAILED if the master still does not stop
 */
export async function stopFailedMaster(): Promise<void> {
  const stopped = await runProgram('systemctl', ['stop', UNIT], { timeoutMs: FAILED_STOP_MS });
  if (stopped.code !== 0) {
    await runProgram('systemctl', ['kill', '--signal=KILL', UNIT]);
    await stopMasterUnit();
  }
  // The failed starts must not prevent the next start.
  await runProgram('systemctl', ['reset-failed', UNIT]);
}

/**
 * Returns the log lines of the master and its SSH service since a time, at most the last 20. Empty if journalctl
 * fails.
 *
 * @param since start of the interval (ms since epoch)
 */
export async function readLog(since: number): Promise<string[]> {
  const args = ['--no-pager', '-q', '-o', 'cat', '-n', String(LOG_LINES)];
  const from = [`--since=@${Math.floor(since / 1_000)}`, `--unit=${UNIT}`, `--unit=${SSH_UNIT}`];
  const { stdout } = await runProgram('journalctl', [...args, ...from]);
  return stdout.split('\n').filter((line) => line !== '');
}
