import { writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { connect as connectSocket, type Socket } from 'node:net';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import ssh2 from 'ssh2';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { SSH_RATE } from '#master/admin/ssh/ssh-server.ts';
import {
  connect,
  openSubsystem,
  startAdminMaster,
  type AdminMaster,
  type Person,
} from '#test/support/master/admin-master.ts';
import { openSshAs } from '#test/support/files/openssh.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Attacks come from this address, so that their limits do not slow down the owner at 127.0.0.1. */
const ATTACKER = '127.0.0.66';

/** An SFTP request for the absolute path of `/` (SSH_FXP_REALPATH). */
const REALPATH = Buffer.from([0, 0, 0, 10, 16, 0, 0, 0, 1, 0, 0, 0, 1, 0x2f]);

let master: AdminMaster;
let owner: Person;
beforeAll(async () => {
  master = await startAdminMaster();
  owner = await master.authorize('owner');
});
afterAll(() => master.close());

interface Stranger {
  readonly client: ssh2.Client;
  readonly socket: Socket;
  readonly closed: Promise<void>;
}

/** Connects a client that has no key and never completes a login. */
function stranger(config: Partial<ssh2.ConnectConfig> = {}): Stranger {
  const { port, host } = master.server;
  const socket = connectSocket({ port, host, localAddress: ATTACKER });
  const client = new ssh2.Client();
  client.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  onTestFinished(() => {
    client.destroy();
    socket.destroy();
  });
  client.connect({ sock: socket, username: 'x', authHandler: () => undefined, ...config });
  return { client, socket, closed };
}

/** Starts another key exchange with an internal function of the library. */
function rekey(client: ssh2.Client): void {
  // The types of the library do not contain this function.
  (client as unknown as { _protocol: { rekey(): void } })._protocol.rekey();
}

describe('a client that has not logged in', () => {
  it.each([
    { what: 'compression', algorithms: { compress: ['zlib'] } },
    { what: 'compression after the login', algorithms: { compress: ['zlib@openssh.com'] } },
    { what: 'a slow key exchange', algorithms: { kex: ['diffie-hellman-group18-sha512'] } },
    { what: 'a key exchange with SHA-1', algorithms: { kex: ['diffie-hellman-group14-sha1'] } },
    { what: 'a MAC with SHA-1', algorithms: { cipher: ['aes128-ctr'], hmac: ['hmac-sha1'] } },
  ] as const)('gets no offer of $what', async ({ algorithms }) => {
    // The lists of the table are read-only, and the types of the library require mutable lists.
    const { client, closed } = stranger({ algorithms: algorithms as unknown as ssh2.Algorithms });
    const error = new Promise<Error>((resolve) => client.once('error', resolve));
    await closed;
    expect((await error).message).toMatch(/no matching/);
  });

  it('is disconnected when it begins a second key exchange', async () => {
    const { client, closed } = stranger();
    let exchanges = 0;
    client.on('handshake', () => {
      exchanges += 1;
      rekey(client);
    });
    await closed;
    expect(exchanges).toBeLessThanOrEqual(2);
  });

  it('is disconnected after 64 KB of data, even if it only asks for the login methods', async () => {
    let asked = 0;
    const { closed, socket } = stranger({
      authHandler: (_left, _partial, next) => {
        asked += 1;
        next({ type: 'none', username: 'x'.repeat(4_000) });
      },
    });
    await closed;
    expect(asked).toBeGreaterThan(5);
    expect(socket.bytesWritten).toBeLessThan(65_536 + 16_384);
  });
});

it('an owner can log in while 64 unknown clients exchange keys as often as they can', async () => {
  let exchanges = 0;
  let attacking = true;
  const sockets = new Set<Socket>();
  const strike = (): void => {
    if (!attacking) return;
    const { port, host } = master.server;
    const socket = connectSocket({ port, host, localAddress: ATTACKER });
    sockets.add(socket);
    const client = new ssh2.Client();
    client.on('error', () => undefined);
    client.on('handshake', () => {
      exchanges += 1;
      client.destroy();
    });
    socket.on('close', () => {
      sockets.delete(socket);
      setImmediate(strike);
    });
    client.connect({ sock: socket, username: 'x', authHandler: () => undefined });
  };
  const began = performance.now();
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const before = process.memoryUsage().rss;
  delay.enable();
  for (let count = 0; count < 64; count++) strike();
  onTestFinished(() => {
    attacking = false;
    for (const socket of sockets) socket.destroy();
  });
  await waitFor(() => exchanges >= SSH_RATE.burst, { timeoutMs: 20_000 });
  for (let login = 0; login < 5; login++) (await connect(master, owner)).end();
  await waitFor(() => performance.now() - began > 3_000);
  attacking = false;
  delay.disable();
  const seconds = (performance.now() - began) / 1_000;
  process.stdout.write(
    `${exchanges} key exchanges in ${seconds.toFixed(1)} s, event loop p99 ${(delay.percentile(99) / 1e6).toFixed(0)} ms ` +
      `(with the attackers, which run in this process), memory +${((process.memoryUsage().rss - before) / 2 ** 20).toFixed(0)} MB\n`,
  );
  expect(exchanges).toBeLessThanOrEqual(SSH_RATE.burst + Math.ceil(SSH_RATE.perSecond * seconds) + 1);
});

describe('a client that has logged in', () => {
  it('is disconnected if it sends more data than its window allows', async () => {
    const client = await connect(master, owner);
    const closed = new Promise<void>((resolve) => client.on('close', () => resolve()));
    const channel = await openSubsystem(client, 'sftp');
    // Do not read the answers, so that the server stops reading requests and allows no more data.
    channel.pause();
    channel.write(Buffer.from([0, 0, 0, 5, 1, 0, 0, 0, 3]));
    const requests = Buffer.concat(Array.from({ length: 2_000 }, () => REALPATH));
    // Internal field of the library: the number of bytes that the server allows.
    const { outgoing } = channel as unknown as { outgoing: { window: number } };
    const flood = setInterval(() => {
      outgoing.window = 64 * 1_048_576;
      channel.write(requests);
    }, 1);
    onTestFinished(() => clearInterval(flood));
    await expect(closed).resolves.toBeUndefined();
  });

  it('may repeat the key exchange, as OpenSSH does in large transfers', async () => {
    const file = join(temporaryFolder(), 'world.bin');
    writeFileSync(file, Buffer.alloc(20 * 1_048_576, 7));
    await mkdir(join(master.folders.templates, 'lobby'), { recursive: true });
    const openSsh = await openSshAs(master, owner);
    const { code, output } = await openSsh.sftp(
      `put ${file} /templates/lobby/world.bin\n`,
      '-v',
      '-o',
      'RekeyLimit=1M',
    );
    expect(code, output).toBe(0);
    expect(output.match(/rekey/gi)?.length ?? 0).toBeGreaterThan(5);
    await openSsh.close();
  });
});
