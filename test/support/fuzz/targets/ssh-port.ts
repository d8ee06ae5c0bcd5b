import { connect as connectSocket } from 'node:net';
import fc from 'fast-check';
import { connect, startAdminMaster } from '../../master/admin-master.ts';
import { checkStall, measureStalls } from '../stall-meter.ts';
import { fuzzer, type FuzzTarget } from '../target.ts';

/** Unencrypted packets of SSH: length, padding length, payload, padding (RFC 4253, section 6). */
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
/** Bytes of a stranger: a valid or invalid greeting, and packets. */
export const strangeBytes = fc
  .tuple(greeting, fc.array(packet, { maxLength: 8 }))
  .map(([first, packets]) => Buffer.concat([Buffer.from(first), ...packets]));

/**
 * Checks that the master closes a connection with strange bytes on the SSH port, and that an owner can log in
 * afterwards. Needs Linux: each connection comes from a different address in 127.0.0.0/8, so that the limit per
 * address does not close it first.
 */
export const sshPort: FuzzTarget = {
  name: 'bytes on the SSH port before a login',
  runs: { change: 500, night: 200_000 },
  msPerRun: 40,
  mostGrowthMb: 64,
  async open() {
    const master = await startAdminMaster();
    const owner = await master.authorize('owner');
    const stalls = measureStalls();
    let last = 0;
    // Uses 2,048 addresses in turn. More than 4,096 addresses would share one limit with the owner
    // (shared/node/address-gate.ts).
    const nextAddress = (): string => {
      last += 1;
      return `127.9.${(last >> 8) & 7}.${last & 255}`;
    };
    return {
      fuzz: fuzzer(strangeBytes, (data) => send(data, { ...master.server, localAddress: nextAddress() })),
      close: async () => {
        const longest = stalls.stop();
        (await connect(master, owner)).end();
        await master.close();
        checkStall(longest);
      },
    };
  },
};

interface From {
  readonly host: string;
  readonly port: number;
  readonly localAddress: string;
}

/** Sends bytes to the port and closes the sending side. Resolves when the master has closed the connection. */
export function send(data: Buffer, { host, port, localAddress }: From): Promise<void> {
  return new Promise((resolve) => {
    const socket = connectSocket({ host, port, localAddress });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
    socket.resume();
    socket.end(data);
  });
}
