import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  createMessageConnection,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
  type MessageConnection,
} from 'vscode-jsonrpc/node';
import { fromWire } from '#shared/errors/wire.ts';
import {
  methods,
  notifications,
  type MethodName,
  type Params,
  type Result,
  type Topic,
} from '#shared/rpc/contract.ts';
import { localSocketPath } from '#master/admin/local-socket.ts';
import { buildAll } from '../../../build/scripts/build.mjs';
import { freePort } from '../free-port.ts';
import { forgetPeak, memoryOf, type ProcessMemory } from '../process-memory.ts';

let built: Promise<unknown> | undefined;

/** Returns the path of the built master program. Builds the program first if its sources have changed. */
export async function masterProgram(): Promise<string> {
  built ??= buildAll(['master']);
  await built;
  return new URL('../../../dist/master/index.js', import.meta.url).pathname;
}

export interface Announcement {
  readonly host: string;
  readonly port: number;
  readonly hostKey: string;
  readonly pid: number;
}

interface Connection {
  readonly rpc: MessageConnection;
  readonly socket: Socket;
}

/** Maximum time until a master exits after it has closed its connection (ms). */
const GONE_WITHIN_MS = 60_000;

/** Maximum time until a starting master is ready (ms). */
const READY_WITHIN_MS = 180_000;

/** Number of characters at the end of the log that the error contains if the master is not ready in time. */
const LOG_TOLD = 5_000;

/** Real master in its own process, on loopback. A test can kill the master and start it again with the same data. */
export class MasterProcess {
  readonly data: string;
  readonly #args: readonly string[];
  /** Program to run, such as that of an older version. Null for the built master. */
  program: string | null = null;
  /** Stderr output of all runs so far. */
  log = '';
  /** Additional environment variables for the next start. */
  environment: Readonly<Record<string, string>> = {};
  #child: ChildProcess | null = null;
  /** Highest memory use of all finished runs (MB). */
  #peakMb = 0;
  /** Connection that all calls share, including those made while it is being opened. */
  #connection: Promise<Connection> | null = null;

  constructor(
    data: string,
    ports: { readonly from: number; readonly to: number },
    args: readonly string[] = [],
  ) {
    this.data = data;
    this.#args = ['--ports', `${ports.from}-${ports.to}`, ...args];
  }

  /** Starts the master and waits until it is ready. */
  async start(): Promise<Announcement> {
    const program = this.program ?? (await masterProgram());
    await this.#giveLinkPort();
    const args = [
      program,
      'run',
      '--data',
      this.data,
      '--ssh-host',
      '127.0.0.1',
      '--ssh-port',
      '0',
      '--announce',
      // Masters under test run as root, some of them with an API token, so local services need this option. Older
      // versions do not have the option.
      ...(this.program === null && !this.#args.includes('--no-local') ? ['--local-unsafe'] : []),
    ];
    const child = spawn(process.execPath, [...args, ...this.#args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...this.environment },
    });
    this.#child = child;
    child.stderr.on('data', (chunk: Buffer) => {
      this.log += chunk.toString();
    });
    const lines = createInterface({ input: child.stdout });
    const announced = once(lines, 'line').then(([line]) => JSON.parse(line as string) as Announcement);
    const died = once(child, 'exit').then(() => {
      throw new Error(`the master ended before it was ready:\n${this.log}`);
    });
    const late = AbortSignal.timeout(READY_WITHIN_MS);
    const hung = once(late, 'abort').then(() => {
      const end = this.log.slice(-LOG_TOLD);
      throw new Error(`the master was not ready within ${READY_WITHIN_MS} ms; the end of its log:\n${end}`);
    });
    return await Promise.race([announced, died, hung]);
  }

  /** Process id of the current run. */
  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error('the master was not started');
    return this.#child.pid;
  }

  /** Calls the admin API over the local socket. */
  async call<M extends MethodName>(method: M, params: Params<M>): Promise<Result<M>> {
    const { rpc } = await (this.#connection ??= this.#connect());
    try {
      const result: unknown = await rpc.sendRequest(method, params);
      return methods[method].result.parse(result) as Result<M>;
    } catch (error) {
      // An error without data is not from the master: the connection was closed before the response.
      throw error instanceof ResponseError && error.data !== undefined ? fromWire(error.data) : error;
    }
  }

  /**
   * Registers a listener for topics with outdated data, as the app does. The master calls the listener until the
   * current run ends.
   */
  async onStale(listener: (topics: readonly Topic[]) => void): Promise<void> {
    const { rpc } = await (this.#connection ??= this.#connect());
    rpc.onNotification('stale', (params: unknown) => listener(notifications.stale.parse(params).topics));
  }

  /** Whether the master is running. */
  get alive(): boolean {
    return isAlive(this.#child);
  }

  /**
   * Returns the current memory use, and the peak of all runs since the last call. Does not include runs that exited
   * without a call of this class.
   */
  takeMemory(): ProcessMemory {
    this.#notePeak();
    const peakMb = this.#peakMb;
    this.#peakMb = 0;
    if (this.alive) forgetPeak(this.pid);
    return { nowMb: this.alive ? (memoryOf(this.pid)?.nowMb ?? 0) : 0, peakMb };
  }

  /** Kills the master with SIGKILL and waits until it has exited. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Stops the master with SIGTERM, as systemd does. Its services keep running. */
  async terminate(): Promise<void> {
    await this.#end('SIGTERM');
  }

  /** Stops all services and the master, which kills services that do not exit. Called at the end of a test. */
  async shutDown(): Promise<void> {
    if (!isAlive(this.#child)) await this.start();
    this.#notePeak();
    const exited = isAlive(this.#child) ? once(this.#child, 'exit') : Promise.resolve();
    // The master may exit before it sends its response. In this case, its exit counts as the response.
    const gone = AbortSignal.timeout(GONE_WITHIN_MS);
    await this.call('master.shutdown', { services: 'stop' }).catch(async (error: unknown) => {
      await Promise.race([exited, once(gone, 'abort')]);
      if (this.alive) throw error;
    });
    await exited;
  }

  /**
   * Creates a configuration with a free port for the plugin link, because masters that run in parallel need different
   * ports. Does not change an existing configuration.
   */
  async #giveLinkPort(): Promise<void> {
    const path = join(this.data, 'config', 'master.json');
    if (existsSync(path)) return;
    await mkdir(this.data, { recursive: true, mode: 0o700 });
    await mkdir(join(this.data, 'config'), { recursive: true, mode: 0o700 });
    const communication = { hostname: '127.0.0.1', port: await freePort() };
    await writeFile(path, JSON.stringify({ communication }), { mode: 0o600 });
  }

  #notePeak(): void {
    if (this.alive) this.#peakMb = Math.max(this.#peakMb, memoryOf(this.pid)?.peakMb ?? 0);
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const connection = this.#connection;
    this.#connection = null;
    // A connection that could not be opened does not need to be closed. The caller that opened it gets the error.
    connection?.then(
      ({ rpc, socket }) => {
        rpc.dispose();
        socket.destroy();
      },
      () => undefined,
    );
    if (!isAlive(this.#child)) return;
    this.#notePeak();
    const exited = once(this.#child, 'exit');
    this.#child.kill(signal);
    await exited;
  }

  async #connect(): Promise<Connection> {
    const socket = connect(localSocketPath(this.data));
    try {
      await once(socket, 'connect');
    } catch (error) {
      this.#connection = null;
      throw error;
    }
    const rpc = createMessageConnection(new StreamMessageReader(socket), new StreamMessageWriter(socket));
    rpc.onClose(() => {
      this.#connection = null;
      // Reject the pending calls, which never get a response.
      rpc.dispose();
    });
    rpc.onError(() => undefined);
    rpc.listen();
    return { rpc, socket };
  }
}

function isAlive(child: ChildProcess | null): child is ChildProcess {
  return child?.exitCode === null && child.signalCode === null;
}

/**
 * Returns the pids of all service JVMs of this data folder, by service ID. Reads the pids from /proc, and not from
 * the master. If an ID has more than one pid, the service runs twice.
 */
export async function jvmsOf(data: string): Promise<Map<string, number[]>> {
  const { id: cluster } = JSON.parse(await readFile(join(data, 'config', 'cluster.json'), 'utf8')) as {
    id: string;
  };
  const found = new Map<string, number[]>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const [environ, command] = await Promise.all(
      ['environ', 'cmdline'].map((file) => readFile(`/proc/${name}/${file}`, 'utf8').catch(() => '')),
    );
    const variables = new Set((environ ?? '').split('\0'));
    if (!variables.has(`OVERWORLD_CLUSTER=${cluster}`) || !/^\S*java\0/.test(command ?? '')) continue;
    const id =
      [...variables].find((variable) => variable.startsWith('OVERWORLD_SERVICE='))?.split('=')[1] ?? '';
    found.set(id, [...(found.get(id) ?? []), Number(name)]);
  }
  return found;
}
