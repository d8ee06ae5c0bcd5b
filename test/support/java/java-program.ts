import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { waitFor } from '../wait-for.ts';

export interface ExitResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** One of our Java programs, which runs in a JVM with its own folder. */
export class JavaProgram {
  readonly folder: string;
  /** All lines that the program has printed, oldest first. */
  readonly lines: string[] = [];
  readonly exited: Promise<ExitResult>;
  readonly #child: ChildProcessWithoutNullStreams;

  /**
   * @param args arguments after `java`
   * @param java path of `java`; by default, the `java` of the JDK that builds our jars
   */
  constructor(folder: string, args: readonly string[], java = javaCommand()) {
    const child = spawn(java, args, { cwd: folder });
    this.folder = folder;
    this.#child = child;
    createInterface({ input: child.stdout }).on('line', (line) => this.lines.push(line));
    createInterface({ input: child.stderr }).on('line', (line) => this.lines.push(`stderr: ${line}`));
    // A command to a program that has just exited breaks the pipe. Ignore this error, because the exit code shows
    // what happened.
    child.stdin.on('error', () => undefined);
    this.exited = once(child, 'close').then(() => ({ code: child.exitCode, signal: child.signalCode }));
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('java did not start');
    return this.#child.pid;
  }

  isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  command(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  /** Closes the program's stdin, as if its terminal were closed. */
  endInput(): void {
    this.#child.stdin.end();
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Returns the first matching line. Waits for the line if it is not printed yet. */
  async sees(pattern: RegExp): Promise<string> {
    return waitFor(
      () => {
        const found = this.lines.find((line) => pattern.test(line));
        if (found === undefined && !this.isAlive()) throw new Error(`it ended: ${this.lines.join('\n')}`);
        return found;
      },
      { what: `a line like ${pattern} in:\n${this.lines.join('\n')}` },
    );
  }

  /** Kills the program in any state and removes its folder. */
  async close(): Promise<void> {
    if (this.isAlive()) this.#child.kill('SIGKILL');
    await this.exited;
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Returns the path of `java` in the JDK that builds our jars. */
export function javaCommand(): string {
  const home = process.env['JAVA_HOME'];
  return home ? join(home, 'bin', 'java') : 'java';
}
