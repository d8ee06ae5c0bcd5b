import { utilityProcess } from 'electron';

/** The functions of a running master process that its supervisor uses. */
export interface MasterChild {
  readonly pid: number | undefined;
  onStdout(listener: (text: string) => void): void;
  onStderr(listener: (text: string) => void): void;
  onExit(listener: (code: number) => void): void;
  /** Sends SIGTERM to the master. Its services keep running. */
  terminate(): void;
}

export interface MasterProgram {
  /** Script that runs the master with V8's code cache (main/start). */
  readonly start: string;
  readonly program: string;
  /** Folder of V8's code caches. */
  readonly compiled: string;
}

/** Starts the embedded master in an Electron utility process, which also exits if the app crashes. */
export function forkMaster(
  { start, program, compiled }: MasterProgram,
  args: readonly string[],
): MasterChild {
  const child = utilityProcess.fork(start, [program, compiled, ...args], {
    stdio: 'pipe',
    serviceName: 'Overworld master',
  });
  child.stdout?.setEncoding('utf8');
  child.stderr?.setEncoding('utf8');
  return {
    get pid() {
      return child.pid;
    },
    onStdout: (listener) => child.stdout?.on('data', listener),
    onStderr: (listener) => child.stderr?.on('data', listener),
    onExit: (listener) => child.once('exit', listener),
    terminate: () => child.kill(),
  };
}
