import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { masterProgram } from './master-process.ts';

const UNIT = new URL('../../../build/packaging/overworld-master/overworld-ssh.service', import.meta.url);

/** Returns the options of Node.js in the unit of the SSH service. */
function nodeOptions(): string[] {
  const [, options] = /^ExecStart=\S+\/node (.*?)\S+\.js ssh-service/m.exec(readFileSync(UNIT, 'utf8')) ?? [];
  if (options === undefined)
    throw new Error('the unit of the SSH service has no ExecStart of the expected form');
  return options.split(' ').filter((option) => option !== '');
}

/** The SSH service in its own process. Each time the process exits, it starts again, as with systemd. */
export class SshServiceProcess {
  /** Path of the service's socket, for the option `--ssh-service` of the master. */
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

  /** Starts the service. The master waits until the service's socket exists. @param folder folder for the socket */
  static async start(folder: string): Promise<SshServiceProcess> {
    return new SshServiceProcess(folder, await masterProgram());
  }

  /** Process id of the current run. */
  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('the SSH service was not started');
    return this.#child.pid;
  }

  /** Kills the current run. The next run starts at once. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Stops the service permanently. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.kill();
    await exited;
  }

  #spawn(): ChildProcess {
    const child = spawn(process.execPath, [...nodeOptions(), this.#program, 'ssh-service', this.socket], {
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
