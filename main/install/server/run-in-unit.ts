import { quote } from '#shared/text/shell.ts';
import type { ServerShell, Sudo } from './shell.ts';

/** Folder on the server for the files of an installation. It belongs to root, and only root can write to it. */
export const ROOT_FOLDER = '/var/lib/overworld-install';

/**
 * Age at which the files of a job count as forgotten (minutes). Younger files may belong to a job of another person,
 * which runs at the same time.
 */
export const OLD_MINUTES = 60;

/** Output of the command that runs, and its exit code once it has ended. */
const [OUTPUT, EXIT_CODE] = [`${ROOT_FOLDER}/output`, `${ROOT_FOLDER}/exit-code`];

/** Transient systemd unit in which the commands run. Only one command can run at a time on a server. */
const UNIT = 'overworld-install.service';

/** Line that the script prints when the command starts. */
const STARTED = 'overworld-install: started';

/** Time limit for stopping the unit (s). */
const STOP_S = 10;

/** Path of a file that exists while the command must not be stopped, because dpkg runs. */
const PROTECTED = `${ROOT_FOLDER}/protected`;

/**
 * Returns shell lines that run a command which must not be stopped. A marker file exists while the command runs. As
 * long as it exists, a cancelled {@link runInUnit} waits instead of stopping the unit. If the command fails, the
 * script exits with the status of the command.
 */
export function protect(command: string): string {
  return `touch ${PROTECTED}; ${command}; status=$?; rm -f ${PROTECTED}; [ $status -eq 0 ] || exit $status`;
}

/** A shell on a server, and how its scripts become root. */
export interface RootShell {
  readonly shell: ServerShell;
  readonly sudo: Sudo;
}

/** A long command that runs as root. */
export interface UnitCommand {
  /** The command for `sh`. Values in it must be quoted. */
  readonly command: string;
  readonly signal: AbortSignal;
  /** Called with each line of the command's standard output and error output. */
  readonly onLine: (line: string) => void;
  /**
   * Returns whether the command may be ended at this moment. By default, it may always be ended, except in {@link
   * protect}ed parts. Called when the job is cancelled, and after each line of output from then on.
   */
  readonly canStop?: () => boolean;
}

/**
 * Runs a command as root in a systemd unit of its own and follows its output. The command continues if the connection
 * breaks, so that dpkg is never interrupted. A later call first waits until the earlier command has ended.
 *
 * When the signal is aborted, the command and all its children are ended as soon as `canStop` allows it. If `canStop`
 * never allows it, the call waits until the command has ended.
 *
 * @returns the exit status of the command
 * @throws OverworldError SERVER_CONNECTION_LOST, or the signal's abort reason if the command was ended
 */
export async function runInUnit(
  { shell, sudo }: RootShell,
  { command, signal, onLine, canStop = () => true }: UnitCommand,
): Promise<number> {
  signal.throwIfAborted();
  const following = new AbortController();
  const run = { started: false, stopping: null as Promise<boolean> | null };
  const end = (): void => {
    if (run.stopping !== null) return;
    if (!run.started) {
      following.abort(signal.reason);
    } else if (canStop()) {
      run.stopping = stopUnit({ shell, sudo });
      // If the connection breaks now, `shell.run` below reports the error.
      run.stopping.catch(() => undefined);
    }
  };
  signal.addEventListener('abort', end, { once: true });
  try {
    const { code } = await shell.run(followScript(command), {
      sudo,
      signal: following.signal,
      onLine: (line) => {
        if (line === STARTED) run.started = true;
        else onLine(line);
        if (signal.aborted) end();
      },
    });
    if (run.stopping !== null && (await run.stopping)) signal.throwIfAborted();
    return code ?? 1;
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Stops the unit unless its command is protected. @returns whether the unit was stopped */
async function stopUnit({ shell, sudo }: RootShell): Promise<boolean> {
  // Uses a separate signal, because the signal of the job is already aborted.
  const signal = AbortSignal.timeout(STOP_S * 2_000);
  const { stdout } = await shell.run(`[ -e ${PROTECTED} ] || { systemctl stop ${UNIT} && echo stopped; }`, {
    sudo,
    signal,
  });
  return stdout.trim() === 'stopped';
}

/**
 * Script that ends the unit that an earlier call of {@link runInUnit} has left, for example because its connection
 * broke. If a {@link protect}ed command runs in the unit, first waits until this command has ended.
 */
export const endUnitScript = [
  `while [ -e ${PROTECTED} ] && systemctl is-active --quiet ${UNIT}; do sleep 0.3; done`,
  `systemctl stop ${UNIT} 2> /dev/null || true`,
].join('\n');

/** Script that removes the files of the last command. If a command runs at this moment, exits without a change. */
export const removeOutputScript = [
  `! systemctl is-active --quiet ${UNIT} 2> /dev/null || exit 0`,
  `rm -f ${OUTPUT} ${EXIT_CODE} ${PROTECTED}`,
].join('\n');

function followScript(command: string): string {
  // Script that the unit runs. It writes the exit code last and renames the file, so that the file is never
  // incomplete.
  const work = [
    `exec > ${OUTPUT} 2>&1 < /dev/null`,
    'export HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive',
    `sh -c ${quote(command)}`,
    `echo $? > ${EXIT_CODE}.part && mv ${EXIT_CODE}.part ${EXIT_CODE}`,
  ].join('\n');
  return [
    'set -eu',
    'running() {',
    `  case $(systemctl show --property=ActiveState --value ${UNIT}) in`,
    '    active | activating | deactivating | reloading) return 0 ;;',
    '  esac',
    '  return 1',
    '}',
    'while running; do sleep 0.3; done',
    `install -d -o root -g root -m 755 ${ROOT_FOLDER}`,
    `rm -f ${EXIT_CODE} ${PROTECTED} && : > ${OUTPUT}`,
    `echo '${STARTED}'`,
    `systemd-run --quiet --collect --unit=${UNIT} --property=Type=exec --property=TimeoutStopSec=${STOP_S} \\`,
    `  /bin/sh -c ${quote(work)}`,
    `pid=$(systemctl show --property=MainPID --value ${UNIT})`,
    // MainPID is 0 once the command has exited. tail reads the rest of the file after the process has exited.
    `if [ "$pid" -gt 0 ]; then tail -n +1 -f -s 0.2 --pid="$pid" ${OUTPUT}; else cat ${OUTPUT}; fi`,
    // The exit code may be missing until systemd has removed the unit.
    'while running; do sleep 0.1; done',
    `[ ! -e ${EXIT_CODE} ] || exit "$(cat ${EXIT_CODE})"`,
    'exit 143',
  ].join('\n');
}
