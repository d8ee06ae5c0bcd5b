import { readUnit, UNIT } from '#master/doctor/service-unit.ts';
import { readText } from './replace-file.ts';
import { OPTIONS_FILE, readOptions, sshAddressOf, type SshAddress } from './options-file.ts';
import { lastLines, mustRun, runProgram } from './run-program.ts';

/** Maximum duration of a start, stop or restart of the unit (ms). The unit allows the master 60 s to shut down. */
const START_TIMEOUT_MS = 120_000;

/** State of the master's unit. */
export interface UnitState {
  /** `ActiveState` and `SubState` of systemd, such as `active/running`. */
  readonly active: string;
  readonly sub: string;
  /** Number of times that systemd has restarted the master after failures, since the unit was started. */
  readonly restarts: number;
}

/**
 * Reads the state of the master's unit from systemd.
 *
 * @throws OverworldError COMMAND_FAILED
 */
export async function readUnitState(): Promise<UnitState> {
  const args = ['show', UNIT, '-p', 'ActiveState', '-p', 'SubState', '-p', 'NRestarts'];
  const shown = await mustRun('systemctl', args);
  const valueOf = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(shown)?.[1]?.trim() ?? '';
  return {
    active: valueOf('ActiveState'),
    sub: valueOf('SubState'),
    restarts: Number(valueOf('NRestarts') || 0),
  };
}

/** Returns whether the master's unit starts when the machine boots. Returns false if systemctl fails. */
export async function isUnitEnabled(): Promise<boolean> {
  return (await runProgram('systemctl', ['is-enabled', '--quiet', UNIT])).code === 0;
}

/**
 * Calls systemctl for the master's unit, with a time limit of 2 minutes. Does not wait until the master serves.
 *
 * @throws OverworldError COMMAND_FAILED
 */
export async function controlUnit(verb: 'enable' | 'start' | 'stop' | 'restart'): Promise<void> {
  await mustRun('systemctl', [verb, UNIT], { timeoutMs: START_TIMEOUT_MS });
}

/** Returns the address at which the unit's master listens for SSH, as the unit and its options file set it. */
export async function readSshAddress(): Promise<SshAddress> {
  return sshAddressOf(await readStartLine());
}

/** Returns the words with which the unit starts the master, including those of its options file. */
export async function readStartLine(): Promise<readonly string[]> {
  const options = readOptions(await readText(OPTIONS_FILE));
  const line = (await readUnit())?.args ?? [];
  return line.flatMap((word) => (word === '$OPTIONS' ? options : [word]));
}

/**
 * Returns the last messages in the log of the unit's master, joined to one line: at most `count` messages from the
 * last 40 lines. Leaves out structured messages below the level `warn`. If journalctl fails, returns the last line of
 * its error output instead.
 */
export async function readLastLog(count = 3): Promise<string> {
  const args = ['-n', '40', '-o', 'cat', '--no-pager', '-q', `_SYSTEMD_UNIT=${UNIT}.service`];
  const journal = await runProgram('journalctl', args);
  if (journal.code !== 0) return lastLines(journal, 1);
  return summarizeLog(journal.stdout, count);
}

/**
 * Returns the last `count` messages of a master's log, joined to one line. Leaves out structured messages below the
 * level `warn`.
 */
export function summarizeLog(text: string, count: number): string {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap(messageOf)
    .slice(-count)
    .join(' ');
}

/** Lowest log level at which a structured message may explain a failure: pino's `warn`. */
const WARNING = 40;

function messageOf(line: string): string[] {
  if (!line.startsWith('{')) return [line.trim()];
  try {
    const { level, msg, err } = JSON.parse(line) as {
      readonly level?: number;
      readonly msg?: string;
      readonly err?: { readonly message?: string };
    };
    if ((level ?? 0) < WARNING) return [];
    return [[msg, err?.message].filter((part) => part !== undefined).join(': ')];
  } catch {
    return [line.trim()];
  }
}
