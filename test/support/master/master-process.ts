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

/** Path of the built daemon, as it is deployed; built anew when its sources changed. */
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

/** A master that was asked to end and whose connection is closed is gone within this time, ms. */
const GONE_WITHIN_MS = 10_000;

/** One that starts is ready within this time, ms, however slow the machine is. */
const READY_WITHIN_MS = 60_000;

/** How much of a log a failed start tells, characters. */
const LOG_TOLD = 5_000;

/** A real master in a process of its own, on loopback, that can be killed and started again on the same data. */
export class MasterProcess {
  readonly data: string;
  readonly #args: readonly string[];
  /** What it wrote to stderr, all its lives together. */
  log = '';
  /** Variables beside ours, from its next life on. */
  environment: Readonly<Record<string, string>> = {};
  #child: ChildProcess | null = null;
  /** Most memory that any life that has ended had, MB. */
  #peakMb = 0;
  /** One for all calls, also for those that come while it is being made. */
  #connection: Promise<Connection> | null = null;

  constructor(
    data: string,
    ports: { readonly from: number; readonly to: number },
    args: readonly string[] = [],
  ) {
    this.data = data;
    this.#args = ['--ports', `${ports.from}-${ports.to}`, ...args];
  }

  /** Starts it and waits until it is ready. */
  async start(): Promise<Announcement> {
    const program = await masterProgram();
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

  /** Process id of its present life. */
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
      // Without data it is not the master's answer: the connection ended.
      throw error instanceof ResponseError && error.data !== undefined ? fromWire(error.data) : error;
    }
  }

  /** Calls back with what may have changed, as a dashboard hears it, for the rest of the present life. */
  async onStale(listener: (topics: readonly Topic[]) => void): Promise<void> {
    const { rpc } = await (this.#connection ??= this.#connect());
    rpc.onNotification('stale', (params: unknown) => listener(notifications.stale.parse(params).topics));
  }

  /** False before its start and after its end. */
  get alive(): boolean {
    return isAlive(this.#child);
  }

  /**
   * Memory of its present life, and the peak of all lives since this was last asked. A life that ended by itself is not
   * known.
   */
  takeMemory(): ProcessMemory {
    this.#notePeak();
    const peakMb = this.#peakMb;
    this.#peakMb = 0;
    if (this.alive) forgetPeak(this.pid);
    return { nowMb: this.alive ? (memoryOf(this.pid)?.nowMb ?? 0) : 0, peakMb };
  }

  /** The end without warning. Resolves when the process is gone. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** The end as systemd asks for it: services live on. */
  async terminate(): Promise<void> {
    await this.#end('SIGTERM');
  }

  /** Stops all services and the master; what is left is killed. For the end of a test. */
  async shutDown(): Promise<void> {
    if (!isAlive(this.#child)) await this.start();
    this.#notePeak();
    const exited = isAlive(this.#child) ? once(this.#child, 'exit') : Promise.resolve();
    // It may be gone before its answer has left: then its end is the answer.
    const gone = AbortSignal.timeout(GONE_WITHIN_MS);
    await this.call('master.shutdown', { services: 'stop' }).catch(async (error: unknown) => {
      await Promise.race([exited, once(gone, 'abort')]);
      if (this.alive) throw error;
    });
    await exited;
  }

  /** Masters that run beside each other do not want the same port for their plugins; one that has a configuration keeps it. */
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
    // One that fails to be made has nothing to be closed; whoever called hears of it.
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
      // What still waits for an answer gets none.
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
 * JVMs that run services of the master on this data folder, by service id: evidence from /proc, not from the master.
 * More than one pid under an id is a twin.
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
