import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { masterProgram } from './master-process.ts';

/** The SSH service in a process of its own, which starts again whenever it ends, as systemd has it. */
export class SshServiceProcess {
  /** Path of its socket, for the option `--ssh-service` of the master. */
  readonly socket: string;
  /** Stderr output of all runs so far. */
  log = '';
  readonly #program: string;
  #child: ChildProcess;
  #closed = false;

  private constructor(folder: string, program: string) {
    this.socket = join(folder, 'ssh.sock');
    this.#program = program;
    this.#child = this.#spawn();
  }

  /** Starts the service. The master waits for its socket. @param folder folder for the socket */
  static async start(folder: string): Promise<SshServiceProcess> {
    return new SshServiceProcess(folder, await masterProgram());
  }

  /** Process id of the current run. */
  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('the SSH service was not started');
    return this.#child.pid;
  }

  /** Kills the current run. The next one starts at once. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Ends the service for good. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.kill();
    await exited;
  }

  #spawn(): ChildProcess {
    const child = spawn(process.execPath, [this.#program, 'ssh-service', this.socket], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr.on('data', (chunk: Buffer) => {
      this.log += chunk.toString();
    });
    child.once('exit', () => {
      if (!this.#closed) this.#child = this.#spawn();
    });
    return child;
  }
}
