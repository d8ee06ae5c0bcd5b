import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildPracticeServer } from '../../build/scripts/build-practice-server.mjs';
import { waitFor } from './wait-for.ts';

let jar: Promise<string> | undefined;

/** Path of the practice server's jar, built when it is missing or older than its sources. */
export function practiceServerJar(): Promise<string> {
  jar ??= buildPracticeServer();
  return jar;
}

export interface PracticeServerOptions {
  /** Lines of server.properties beside or instead of: loopback only, a port chosen by the system. */
  readonly properties?: Readonly<Record<string, string>>;
  /** Exact content of server.properties; `properties` is not used then. */
  readonly propertiesText?: string | Buffer;
  readonly jvmArguments?: readonly string[];
  /** False: returns as soon as the process runs; it may be about to fail. */
  readonly waitUntilReady?: boolean;
}

export interface ExitResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A practice server in a JVM and a folder of its own. */
export class PracticeServer {
  readonly folder: string;
  /** All lines it has written, oldest first. */
  readonly lines: string[] = [];
  readonly exited: Promise<ExitResult>;
  readonly #child: ChildProcessWithoutNullStreams;

  constructor(folder: string, child: ChildProcessWithoutNullStreams) {
    this.folder = folder;
    this.#child = child;
    createInterface({ input: child.stdout }).on('line', (line) => this.lines.push(line));
    createInterface({ input: child.stderr }).on('line', (line) => this.lines.push(`stderr: ${line}`));
    // A command to a server that has just ended breaks the pipe; what it was about shows in the exit.
    child.stdin.on('error', () => undefined);
    this.exited = once(child, 'close').then(() => ({ code: child.exitCode, signal: child.signalCode }));
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('java did not start');
    return this.#child.pid;
  }

  /** The port it listens on, as its log says. */
  get port(): number {
    const line = this.lines.find((text) => text.includes('Starting Minecraft server on'));
    const port = Number(line?.split(':').at(-1));
    if (!Number.isInteger(port)) throw new Error(`no port in the log yet: ${this.lines.join('\n')}`);
    return port;
  }

  isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  command(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  /** Closes its console, as when the terminal it was started from goes away. */
  endInput(): void {
    this.#child.stdin.end();
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Waits for a line, also one that was written before. */
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

  /** Ends it, however it is doing, and removes its folder. */
  async close(): Promise<void> {
    if (this.isAlive()) this.#child.kill('SIGKILL');
    await this.exited;
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** The java of the JDK that builds the jar. */
function javaCommand(): string {
  const home = process.env['JAVA_HOME'];
  return home ? join(home, 'bin', 'java') : 'java';
}

/** Starts a practice server directly, without a master. The caller closes it. */
export async function startPracticeServer(options: PracticeServerOptions = {}): Promise<PracticeServer> {
  const { jvmArguments = ['-Xmx64m', '-XX:+UseSerialGC'], waitUntilReady = true } = options;
  const properties = { 'server-ip': '127.0.0.1', 'server-port': '0', ...options.properties };
  const text =
    options.propertiesText ??
    Object.entries(properties)
      .map(([key, value]) => `${key}=${value}\n`)
      .join('');
  const serverJar = await practiceServerJar();
  const folder = await mkdtemp(join(tmpdir(), 'overworld-practice-'));
  await writeFile(join(folder, 'server.properties'), text);
  const child = spawn(javaCommand(), [...jvmArguments, '-jar', serverJar, 'nogui'], { cwd: folder });
  const server = new PracticeServer(folder, child);
  if (!waitUntilReady) return server;
  try {
    await server.sees(/Done \([0-9.]+s\)!/);
  } catch (error) {
    await server.close();
    throw error;
  }
  return server;
}
