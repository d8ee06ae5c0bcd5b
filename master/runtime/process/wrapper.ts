import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';

/** Exit status of the wrapper if another wrapper has already started the same service. */
export const TAKEN_STATUS = 75;

/**
 * Shell script that runs as the leader of a service's session. Arguments: the service's `run` folder, then the
 * command.
 *
 * - `set -C` makes `>` create the pid file only if it does not exist, atomically (O_EXCL). If two wrappers try to
 *   create the file, one of them fails and exits.
 * - The console is opened for reading and writing, so that the server never reads an end of file when a writer
 *   closes it. It is opened before the pid file is created, so that a command to a service that has just started
 *   waits in the pipe.
 * - A signal to the group runs the trap only after the command has exited (POSIX, Shell Command Language 2.11); the
 *   command itself gets the signal's default action. So the wrapper always survives to record the exit status.
 */
const SCRIPT = `umask 077
run=$1
shift
trap : HUP INT TERM
mkfifo "$run/console" 2>/dev/null
[ -p "$run/console" ] || exit 74
exec 3<>"$run/console"
set -C
{ echo "$$" >"$run/pid"; } 2>/dev/null || exit ${TAKEN_STATUS}
set +C
"$@" <&3 3<&-
echo "$?" >"$run/exit.part" && mv "$run/exit.part" "$run/exit"
`;

export interface Launch {
  readonly run: string;
  /** Working directory of the command. */
  readonly files: string;
  /** File to which stdout and stderr are appended. */
  readonly log: string;
  /** Program and arguments; no shell interprets them. */
  readonly command: readonly string[];
  /** All environment variables of the command; nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A wrapper that this master has started. */
export interface Launched {
  /** Resolves when the wrapper has exited. */
  readonly exited: Promise<void>;
  readonly hasExited: () => boolean;
  /** Kills the wrapper and its children. */
  readonly kill: () => void;
}

/**
 * Starts the wrapper in its own session, which outlives the master. Resolves when the wrapper runs, which does not
 * mean that the service has started.
 *
 * @throws errno errors
 */
export async function launch(options: Launch): Promise<Launched> {
  const log = await open(options.log, 'a', 0o600);
  try {
    const argv = ['-c', SCRIPT, 'overworld-service', options.run, ...options.command];
    const child = spawn('/bin/sh', argv, {
      cwd: options.files,
      env: options.environment,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    child.unref();
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    await once(child, 'spawn');
    const hasExited = (): boolean => child.exitCode !== null || child.signalCode !== null;
    return {
      exited,
      hasExited,
      kill: () => {
        if (child.pid !== undefined && !hasExited()) process.kill(-child.pid, 'SIGKILL');
      },
    };
  } finally {
    await log.close();
  }
}
