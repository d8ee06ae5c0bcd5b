import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Balancer } from '#master/balancer/balancer.ts';
import { openHaproxyBalancer, type HaproxyOptions } from '#master/balancer/haproxy-balancer.ts';
import { parseStat } from '#master/balancer/runtime/runtime-state.ts';
import { ask } from '#master/balancer/haproxy/ask.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { debianConfig } from './debian.ts';

/** Path of the HAProxy program. If it is not installed, the path is null, and tests that need HAProxy are skipped. */
export const HAPROXY =
  [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
    .map((folder) => join(folder, 'haproxy'))
    .find((path) => existsSync(path)) ?? null;

/** Real HAProxy with its own configuration, sockets and ports. */
export class HaproxyFixture {
  readonly folder = temporaryFolder();
  readonly config = join(this.folder, 'haproxy.cfg');
  /** Data folder of the master. It does not contain the configuration. */
  readonly data = join(this.folder, 'data');
  readonly socket = join(this.folder, 'admin.sock');
  readonly masterSocket = join(this.folder, 'master.sock');
  /** Port on which players join. */
  readonly port: number;
  /** The setting `balancer.entry_addition`. */
  addition = 'send-proxy';
  output = '';
  #process: ChildProcess | null = null;

  constructor(port: number) {
    this.port = port;
  }

  read(): Promise<string> {
    return readFile(this.config, 'latin1');
  }

  async write(text: string): Promise<void> {
    await writeFile(this.config, text, 'latin1');
  }

  /**
   * Starts HAProxy and waits until it answers.
   *
   * @param file configuration file, by default the file that the balancer uses
   */
  async start(file = this.config): Promise<void> {
    const args = ['-W', '-S', `${this.masterSocket},mode,600`, '-f', file];
    const process = spawn(HAPROXY ?? 'haproxy', args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#process = process;
    for (const stream of [process.stdout, process.stderr])
      stream.on('data', (part: Buffer) => (this.output += part.toString()));
    await waitFor(
      () => {
        if (process.exitCode !== null) throw new Error(`HAProxy ended: ${this.output}`);
        return this.ask('show info');
      },
      { what: 'HAProxy to answer', timeoutMs: 60_000 },
    );
  }

  /** Kills all HAProxy processes, as at a restart of the system. */
  async stop(): Promise<void> {
    const process = this.#process;
    this.#process = null;
    if (process?.exitCode !== null) return;
    const gone = new Promise((resolve) => process.once('exit', resolve));
    process.kill('SIGTERM');
    await gone;
  }

  ask(line: string): Promise<string> {
    return ask(this.socket, line);
  }

  master(line: string): Promise<string> {
    return ask(this.masterSocket, line);
  }

  /** Returns names and states of our servers in the running HAProxy, such as `lobby-1 ready` or `lobby-2 drain`. */
  async servers(): Promise<string[]> {
    const lines = (await this.ask('show servers state overworld')).split('\n').slice(2);
    const states: Partial<Record<string, string>> = {
      '0': 'ready',
      '4': 'ready',
      '8': 'drain',
      '12': 'drain',
    };
    return lines
      .filter((line) => line.trim() !== '')
      .map((line) => line.split(' '))
      .map(([, , , name = '', , , admin = '']) => `${name} ${states[admin] ?? 'maint'}`)
      .sort();
  }

  /**
   * Returns the names of the servers that accept players. A new server is in maintenance until a second command
   * enables it.
   */
  async readyServers(): Promise<string[]> {
    return (await this.servers()).filter((server) => server.endsWith(' ready'));
  }

  /**
   * Returns names and connection limits of our servers in the order in which HAProxy fills them, such as
   * `lobby-2 40`. The limit 0 means no limit.
   */
  async limits(): Promise<string[]> {
    const rows = parseStat(await this.ask('show stat -1 4 -1'));
    return rows
      .filter((row) => row.get('pxname') === 'overworld')
      .sort((one, other) => Number(one.get('sid')) - Number(other.get('sid')))
      .map((row) => `${row.get('svname')} ${Number(row.get('slim'))}`);
  }

  async open(options: Partial<HaproxyOptions> = {}): Promise<Balancer> {
    const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const balancer = await openHaproxyBalancer({
      settings: () => ({
        ...{ configPath: this.config, dataFolder: this.data },
        ...{ entryAddition: this.addition, host: '127.0.0.1' },
      }),
      log: quiet,
      playersPort: this.port,
      checkMs: 100,
      ...options,
    });
    onTestFinished(() => balancer.close());
    return balancer;
  }
}

/** Creates a fixture with Debian's configuration. The test starts HAProxy, which stops when the test ends. */
export async function haproxyFixture(): Promise<HaproxyFixture> {
  const fixture = new HaproxyFixture(await freePort());
  await fixture.write(debianConfig(fixture.folder));
  onTestFinished(() => fixture.stop());
  return fixture;
}

/** Creates a fixture whose HAProxy is running and has Overworld's section in its configuration. */
export async function adoptedFixture(): Promise<{ fixture: HaproxyFixture; balancer: Balancer }> {
  const fixture = await haproxyFixture();
  await fixture.start();
  const balancer = await fixture.open();
  await balancer.adopt();
  return { fixture, balancer };
}

/**
 * Starts a real HAProxy on its own port. Its configuration contains Overworld's section without servers. HAProxy
 * stops when the test ends.
 *
 * @param host address at which the admin's frontend listens; `*` means all addresses of the machine
 */
export async function fixtureWithSection(host = '127.0.0.1'): Promise<HaproxyFixture> {
  const fixture = new HaproxyFixture(await freePort());
  onTestFinished(() => fixture.stop());
  await fixture.write(`global
	stats socket ${fixture.socket} mode 660 level admin

defaults
	mode tcp
	timeout connect 5s
	timeout client 1h
	timeout server 1h

frontend players
	bind ${host}:${fixture.port}
	default_backend overworld

# BEGIN OVERWORLD
backend overworld
# END OVERWORLD
`);
  await fixture.start();
  return fixture;
}

/** Returns a port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
