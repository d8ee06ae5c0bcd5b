import { connect as connectSocket } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runs } from '#test/support/fuzz/runs.ts';
import {
  connect,
  startAdminMaster,
  type AdminMaster,
  type Person,
} from '#test/support/master/admin-master.ts';
import { measureStalls } from '#test/support/fuzz/stall-meter.ts';

let master: AdminMaster;
let owner: Person;
beforeAll(async () => {
  master = await startAdminMaster();
  owner = await master.authorize('owner');
});
afterAll(() => master.close());

/** A packet of SSH without encryption: length, padding length, payload, padding (RFC 4253, section 6). */
const packet = fc
  .tuple(
    fc.integer({ min: 0, max: 255 }),
    fc.uint8Array({ maxLength: 200 }),
    fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(0xffff_ffff) }),
  )
  .map(([type, rest, length]) => {
    const payload = Buffer.concat([Buffer.from([type]), rest]);
    const padding = 4 + ((8 - ((5 + payload.length + 4) % 8)) % 8);
    const head = Buffer.alloc(5);
    head.writeUInt32BE(length ?? 1 + payload.length + padding);
    head[4] = padding;
    return Buffer.concat([head, payload, Buffer.alloc(padding)]);
  });
const greeting = fc.oneof(
  fc.constant('SSH-2.0-x\r\n'),
  fc.constant('SSH-1.5-x\r\n'),
  fc.string({ unit: 'binary', maxLength: 300 }),
);
const bytes = fc
  .tuple(greeting, fc.array(packet, { maxLength: 8 }))
  .map(([first, packets]) => Buffer.concat([Buffer.from(first), ...packets]));

/** Each connection comes from another address of 127.0.0.0/8, so that the limit for one address does not end it first. */
let last = 0;
function nextAddress(): string {
  last += 1;
  return `127.9.${(last >> 8) & 255}.${last & 255}`;
}

/** Sends bytes to the port and closes the sending side. Resolves when the master has closed the connection. */
function send(data: Buffer): Promise<void> {
  const { host, port } = master.server;
  return new Promise((resolve) => {
    const socket = connectSocket({ host, port, localAddress: nextAddress() });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
    socket.resume();
    socket.end(data);
  });
}

it.runIf(process.platform === 'linux')(
  'the SSH port closes connections that send strange bytes, and an owner can log in afterwards',
  { timeout: 3_600_000 },
  async () => {
    const before = process.memoryUsage().rss;
    const stalls = measureStalls();
    await fc.assert(fc.asyncProperty(bytes, send), {
      numRuns: runs({ change: 500, night: 200_000 }),
      endOnFailure: true,
    });
    expect(stalls.stop()).toBeLessThan(100);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1_048_576);
    (await connect(master, owner)).end();
  },
);
