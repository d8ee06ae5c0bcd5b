import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { WantedEntry } from '#master/balancer/balancer.ts';

const V1 = Buffer.from('PROXY ');
const V2 = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const STATUS = JSON.stringify({ version: { name: 'test', protocol: 47 }, players: { max: 1, online: 0 } });

/**
 * A proxy that a test puts behind HAProxy. It accepts connections with or without a PROXY header, answers status
 * pings, sends each player its name, and echoes all data. Like BungeeCord, it stays silent if an expected header is
 * missing, and closes the connection if it receives an unexpected header.
 */
export class TestProxy {
  readonly name: string;
  readonly expectsHeader: boolean;
  readonly players = new Set<Socket>();
  /** Source addresses from the received PROXY headers. */
  readonly told: string[] = [];
  /** Number of status pings. `resets` is the number of pings whose connection was closed by a reset. */
  pings = 0;
  resets = 0;
  isSilent = false;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #port = 0;

  constructor(name: string, expectsHeader: boolean) {
    this.name = name;
    this.expectsHeader = expectsHeader;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  async listen(port = this.#port): Promise<this> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
    this.#port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  entry(change: Partial<WantedEntry> = {}): WantedEntry {
    const base = { id: this.name, host: '127.0.0.1', port: this.#port, open: true };
    const slots = { maxPlayers: 50, fillLevel: 40 };
    return { ...base, ...slots, proxyProtocol: this.expectsHeader, ...change };
  }

  /** Simulates the exit of the proxy's process, which closes all connections. */
  async die(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.resetAndDestroy();
    await closed;
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    let isPlayer = false;
    let isPing = false;
    let pending = Buffer.alloc(0);
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (isPing && error.code === 'ECONNRESET') this.resets += 1;
    });
    socket.on('close', () => {
      this.#sockets.delete(socket);
      this.players.delete(socket);
    });
    socket.on('data', (part) => {
      if (this.isSilent) return;
      if (isPlayer) {
        socket.write(part);
        return;
      }
      pending = Buffer.concat([pending, part]);
      const header = headerOf(pending);
      if (header === null) return;
      if (header.length > 0 !== this.expectsHeader) {
        if (header.length > 0) socket.destroy();
        return;
      }
      const rest = pending.subarray(header.length);
      if (rest.length === 0) return;
      if (header.source !== null) this.told.push(header.source);
      if (rest.subarray(0, 3).equals(Buffer.from([0x0f, 0, 47]))) {
        if (rest.length < 18) return;
        isPing = true;
        this.pings += 1;
        const json = Buffer.from(STATUS);
        socket.write(Buffer.concat([Buffer.from([json.length + 2, 0, json.length]), json]));
        return;
      }
      isPlayer = true;
      this.players.add(socket);
      socket.write(`${this.name}\n`);
    });
  }
}

/**
 * Finds the PROXY header at the start of the data.
 *
 * @returns the header's length (0 if there is none) and source address; null while the header is incomplete
 */
function headerOf(data: Buffer): { readonly length: number; readonly source: string | null } | null {
  const starts = (mark: Buffer): boolean =>
    data.subarray(0, mark.length).equals(mark.subarray(0, data.length));
  if (starts(V1) && data.length > 0) {
    const end = data.indexOf('\r\n');
    if (end < 0) return data.length < 108 ? null : { length: 0, source: null };
    return { length: end + 2, source: data.subarray(0, end).toString('latin1').split(' ')[2] ?? null };
  }
  if (starts(V2) && data.length > 0) {
    if (data.length < 16) return null;
    const length = 16 + data.readUInt16BE(14);
    if (data.length < length) return null;
    const isInet = data[13] === 0x11;
    return { length, source: isInet ? [...data.subarray(16, 20)].join('.') : null };
  }
  return { length: 0, source: null };
}

/** Starts a proxy that listens until the test ends. */
export async function testProxy(name: string, expectsHeader = true): Promise<TestProxy> {
  const proxy = await new TestProxy(name, expectsHeader).listen();
  onTestFinished(() => proxy.die().catch(() => undefined));
  return proxy;
}
