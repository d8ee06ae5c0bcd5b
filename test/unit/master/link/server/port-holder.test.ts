import { createServer, type AddressInfo, type Server } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listeningInodes, portHolder, takenBy } from '#master/link/server/port-holder.ts';
import { freePortAfter, tryToListen } from '#master/link/server/ports.ts';

async function listenAt(port = 0): Promise<number> {
  const server: Server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ host: '127.0.0.1', port }, resolve);
  });
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

describe('the program that uses a port', () => {
  it.runIf(process.platform === 'linux')('is found with its name and process id', async () => {
    const port = await listenAt();
    expect(await portHolder(port)).toEqual({ pid: process.pid, program: 'node' });
    expect(await takenBy(port)).toBe(`node (process ${process.pid}) uses this port`);
  });

  it('is named "another program" if the system does not reveal it', async () => {
    const port = await listenAt();
    const free = await freePortAfter('127.0.0.1', port);
    expect(await portHolder(free ?? 0)).toBeNull();
    expect(await takenBy(free ?? 0)).toBe('another program uses this port');
  });

  it('is the program that listens on the port, not a program with an open connection', () => {
    const table = [
      '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
      '   0: 0100007F:05E6 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1',
      '   1: 0100007F:05E6 0100007F:D431 01 00000000:00000000 00:00000000 00000000  1000        0 4712 1',
      '   2: 0100007F:05E7 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4713 1',
    ].join('\n');
    expect(listeningInodes(table, 1510)).toEqual(['4711']);
    expect(listeningInodes('', 1510)).toEqual([]);
  });
});

describe('the next free port after a used port', () => {
  it('is a port on which a program can listen', async () => {
    const port = await listenAt();
    const free = await freePortAfter('127.0.0.1', port);
    expect(free).toBeGreaterThan(port);
    expect(await tryToListen('127.0.0.1', free ?? 0)).toBeNull();
    await listenAt(free ?? 0);
    expect(await tryToListen('127.0.0.1', free ?? 0)).toMatchObject({ code: 'EADDRINUSE' });
    expect(await freePortAfter('127.0.0.1', port)).toBeGreaterThan(free ?? 0);
  });

  it('does not exist after the highest port, or if the address belongs to another machine', async () => {
    expect(await freePortAfter('127.0.0.1', 65_535)).toBeNull();
    expect(await freePortAfter('203.0.113.77', 1_510)).toBeNull();
  });
});
