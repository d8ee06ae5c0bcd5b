import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';

/** The wrapper's exit status when somebody else has started this service already. */
export const TAKEN_STATUS = 75;

/**
 * What runs as the leader of a service's session. Arguments: the service's `run` folder, then the command.
 *
 * - `set -C`: `>` makes the pid file only if there is none, in one step (O_EXCL): of two wrappers one gives up.
 * - The console is opened for reading and writing, so that the server never sees its end, whoever writes and leaves;
 *   and before the service is taken, so that a command to a service that has just started waits in the pipe.
 * - A signal to the group runs the trap only after the command has ended (POSIX, Shell Command Language 2.11); the
 *   command itself gets the signal's default action. So the wrapper always lives to note the exit status.
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
  /** Working directory. */
  readonly files: string;
  /** Output and errors are appended here. */
  readonly log: string;
  /** Program and arguments; never read by a shell. */
  readonly command: readonly string[];
  /** The whole environment. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A wrapper that was started by this master. */
export interface Launched {
  /** Resolves when the wrapper has ended. */
  readonly exited: Promise<void>;
  readonly hasExited: () => boolean;
  /** Ends it and what it started, at once. */
  readonly kill: () => void;
}

/** Starts the wrapper in a session of its own, which outlives the master. Resolves once it runs. */
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
