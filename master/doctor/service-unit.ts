import { execFile } from 'node:child_process';
import { isAbsolute } from 'node:path';
import { promisify } from 'node:util';

/** Name of the master's unit in docs/installation.md. */
export const UNIT = 'overworld-master';

/** Name of the unit that serves SSH and files for the master. */
export const SSH_UNIT = 'overworld-ssh';

/** Data folder of an installed master. Also the default data folder of a master that root runs. */
export const SYSTEM_DATA_FOLDER = '/var/lib/overworld';

/** Environment variable that contains the path of the data folder. */
export const DATA_VARIABLE = 'OVERWORLD_DATA';

const SHOW_TIMEOUT_MS = 3_000;

/**
 * The systemd unit that runs the master, as it is installed now. Its files may have changed since the master was
 * started.
 */
export interface ServiceUnit {
  /** Process id of the running master. Null if the unit is not running. */
  readonly pid: number | null;
  /** Absolute path of the Node.js program that runs the master. */
  readonly node: string;
  /** All words of the unit's start command. Variables in them are not replaced with their values. */
  readonly args: readonly string[];
  /** The master's data folder. Null if the unit's settings do not show which one it is. */
  readonly data: string | null;
  /** Whether the unit lets the master run services on its own machine, under the master's user. */
  readonly isLocal: boolean;
  /** Name of the user as which the unit runs. */
  readonly user: string;
  /**
   * State of the unit in words, for messages about a master that does not answer, such as "the unit failed with exit
   * code 1".
   */
  readonly state: string;
  /** Environment variables that the unit sets. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Reads the master's unit from systemd. Returns null if there is no such unit or no systemd, or if systemctl fails or
 * takes more than 3 s.
 */
export async function readUnit(): Promise<ServiceUnit | null> {
  const properties = [
    'LoadState',
    'ActiveState',
    'SubState',
    'ExecMainStatus',
    'MainPID',
    'User',
    'ExecStart',
    'Environment',
  ];
  const args = ['show', `${UNIT}.service`, ...properties.flatMap((name) => ['-p', name])];
  try {
    const { stdout } = await promisify(execFile)('systemctl', args, { timeout: SHOW_TIMEOUT_MS });
    return parseUnit(stdout);
  } catch {
    return null;
  }
}

/** Parses the output of `systemctl show` for the master's unit. Returns null if there is no such unit. */
export function parseUnit(shown: string): ServiceUnit | null {
  const properties = new Map(
    shown.split('\n').map((line) => {
      const at = line.indexOf('=');
      return [line.slice(0, at), line.slice(at + 1)] as const;
    }),
  );
  const started = /\bpath=(\S+) ; argv\[\]=(.*?) ; ignore_errors=/.exec(properties.get('ExecStart') ?? '');
  if (properties.get('LoadState') !== 'loaded' || started === null) return null;
  const [, node = '', line = ''] = started;
  const args = line.split(' ');
  const environment = parseEnvironment(properties.get('Environment') ?? '');
  const pid = Number(properties.get('MainPID') ?? 0);
  const user = (properties.get('User') ?? '') || 'root';
  const data =
    dataArgument(args) ?? environment[DATA_VARIABLE] ?? (user === 'root' ? SYSTEM_DATA_FOLDER : '');
  return {
    pid: pid === 0 ? null : pid,
    node,
    args,
    data: isAbsolute(data) ? data : null,
    isLocal: !args.includes('--no-local'),
    user,
    state: stateOf(properties),
    environment,
  };
}

function stateOf(properties: ReadonlyMap<string, string>): string {
  const exit = `exit code ${properties.get('ExecMainStatus') ?? 'unknown'}`;
  if (properties.get('SubState') === 'auto-restart')
    return `is restarted by systemd each time it fails, the last time with ${exit}`;
  switch (properties.get('ActiveState')) {
    case 'failed':
      return `failed with ${exit}`;
    case 'active':
    case 'activating':
      return 'is starting';
    default:
      return 'is stopped';
  }
}

/** Returns the value of `--data DIR` or `--data=DIR` in the arguments of a command. Undefined if it is missing. */
export function dataArgument(args: readonly string[]): string | undefined {
  const at = args.indexOf('--data');
  if (at !== -1) return args[at + 1];
  return args.find((arg) => arg.startsWith('--data='))?.slice('--data='.length);
}

/** Parses environment variables from systemd's output. Systemd quotes values with spaces: `A=b "C=d e"`. */
function parseEnvironment(text: string): Record<string, string> {
  const parts = [...text.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)];
  return Object.fromEntries(
    parts.map(([, quoted, plain]) => {
      const pair = quoted === undefined ? (plain ?? '') : quoted.replace(/\\(.)/g, '$1');
      const at = pair.indexOf('=');
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}
