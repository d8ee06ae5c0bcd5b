import fc from 'fast-check';
import { PUT_FILE } from '#shared/sftp/put-file.ts';
import { MAX_PACKET_BYTES, request, type extensions } from '#master/files/sftp/protocol/protocol.ts';
import { field, framed, u32, u64 } from '#test/support/files/raw-sftp.ts';

/**
 * Paths inside of the jail, outside of the jail, and to nothing. `out`, `out-file`, `slash` and `up` are links in the
 * folder.
 */
const paths = [
  '/templates/lobby/a',
  '/templates/lobby/folder',
  '/templates/lobby/out',
  '/templates/lobby/out/secret',
  '/templates/lobby/out/new',
  '/templates/lobby/out-file',
  '/templates/lobby/slash/etc/passwd',
  '/templates/lobby/up/config/keys.json',
  '/templates/lobby/../../config/keys.json',
  '/templates/lobby/new',
  '/templates/new',
  '/files/new',
  '../../../etc/passwd',
  '/',
  '',
  '\0',
  `/templates/lobby/${'n'.repeat(300)}`,
  '/templates/lobby/'.repeat(400),
] as const;

const path = fc.constantFrom(...paths).map((text) => field(text));
const number = fc.constantFrom(0, 1, 2, 5, 255, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff);
const u32s = fc.oneof(number, fc.nat(0xffff_ffff)).map(u32);
const u64s = fc
  .oneof(fc.constantFrom(0, 1, 2 ** 31, 2 ** 53 - 1), fc.nat(10_000))
  .map(u64)
  .chain((one) => fc.constantFrom(one, Buffer.alloc(8, 0xff)));
/** Handles as the master numbers them: 1, 2 and so on. */
const handle = fc.nat(4).map((open) => field(u32(open)));
const text = fc.uint8Array({ maxLength: 40 }).map((bytes) => field(Buffer.from(bytes)));
const noAttributes = fc.constant(u32(0));
const attributes = fc.oneof(
  noAttributes,
  fc.tuple(fc.constant(u32(4)), u32s).map((parts) => Buffer.concat(parts)),
  fc.tuple(fc.constant(u32(1)), fc.nat(100_000).map(u64)).map((parts) => Buffer.concat(parts)),
  fc.tuple(fc.constant(u32(0x8000_0000)), u32s, text, text).map((parts) => Buffer.concat(parts)),
);

type Fields = readonly fc.Arbitrary<Buffer>[];

const requests: readonly (readonly [number, Fields])[] = [
  [request.OPEN, [path, fc.nat(63).map(u32), attributes]],
  [request.OPENDIR, [path]],
  [request.CLOSE, [handle]],
  [request.READ, [handle, u64s, u32s]],
  [request.WRITE, [handle, fc.nat(100_000).map(u64), text]],
  [request.FSTAT, [handle]],
  [request.READDIR, [handle]],
  [request.FSETSTAT, [handle, attributes]],
  [request.SETSTAT, [path, attributes]],
  [request.LSTAT, [path]],
  [request.STAT, [path]],
  [request.REMOVE, [path]],
  [request.MKDIR, [path, noAttributes]],
  [request.RMDIR, [path]],
  [request.REALPATH, [path]],
  [request.RENAME, [path, path]],
  [request.READLINK, [path]],
  [request.SYMLINK, [path, path]],
];

const ranges = [u64s, u64s];
const extended: Readonly<Record<keyof typeof extensions | 'hardlink@openssh.com', Fields>> = {
  'posix-rename@openssh.com': [path, path],
  'hardlink@openssh.com': [path, path],
  'statvfs@openssh.com': [path],
  'fsync@openssh.com': [handle],
  'limits@openssh.com': [],
  'copy-data': [handle, ...ranges, handle, fc.nat(100_000).map(u64)],
  'check-file': [handle, text, ...ranges, u32s],
  'check-file-handle': [handle, fc.constant(field('sha256,md5')), ...ranges, u32s],
  'check-file-name': [path, fc.constant(field('sha256')), ...ranges, u32s],
  [PUT_FILE]: [path, path, fc.nat(3).map(u32), attributes, text],
};

const packetOf = (type: fc.Arbitrary<number>, fields: Fields): fc.Arbitrary<Buffer> =>
  fc.tuple(type, u32s, ...fields).map(([kind, ...rest]) => framed(kind, ...(rest as Buffer[])));

const valid = fc.oneof(
  ...requests.map(([type, fields]) => packetOf(fc.constant(type), fields)),
  ...Object.entries(extended).map(([name, fields]) =>
    packetOf(fc.constant(request.EXTENDED), [fc.constant(field(name)), ...fields]),
  ),
);

/**
 * Changed copies of valid packets. The length field is correct, so that the readers of the other fields get the
 * change.
 */
const changed = fc
  .tuple(
    valid,
    fc.constantFrom('flip', 'cut', 'count', 'more'),
    fc.nat(),
    fc.constantFrom(0, 1, 0x7f, 0x80, 0xff),
  )
  .map(([packet, how, at, byte]) => {
    const body = Buffer.from(packet.subarray(4));
    const place = at % body.length;
    switch (how) {
      case 'flip':
        body[place] = byte;
        return framedBody(body);
      case 'cut':
        return framedBody(body.subarray(0, Math.max(1, place)));
      case 'count':
        if (body.length >= 9) body.writeUInt32BE(0xffff_fff0 + (at & 0xf), Math.min(place, body.length - 4));
        return framedBody(body);
      default:
        return framedBody(Buffer.concat([body, Buffer.alloc(1 + (at % 2_000), byte)]));
    }
  });

/** Bytes that are not a valid packet: wrong lengths, unknown types, and noise. */
const noise = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc
    .constantFrom(0, 1, MAX_PACKET_BYTES, MAX_PACKET_BYTES + 1, 0x7fff_ffff, 0xffff_ffff)
    .map((length) => Buffer.concat([u32(length), Buffer.from([request.STAT])])),
  fc.tuple(fc.integer({ min: 0, max: 255 }), u32s).map(([type, id]) => framed(type, id)),
);

const begin = framed(request.INIT, u32(3));
const open = framed(request.OPEN, u32(1), field('/templates/lobby/a'), u32(3), u32(0));
const openFolder = framed(request.OPENDIR, u32(2), field('/templates/lobby'));

/**
 * Sessions of a hostile client: valid packets with some changed packets among them, and sometimes a changed packet or
 * noise at the end.
 */
export const hostileSession = fc
  .tuple(
    fc.boolean(),
    fc.array(fc.oneof({ weight: 9, arbitrary: valid }, { weight: 1, arbitrary: changed }), {
      maxLength: 60,
      size: 'max',
    }),
    fc.option(fc.oneof(changed, noise), { nil: Buffer.alloc(0), freq: 4 }),
  )
  .map(([isBegun, packets, last]) => ({
    packets: packets.length + 1,
    bytes: Buffer.concat([...(isBegun ? [begin, open, openFolder] : [begin]), ...packets, last]),
  }));

function framedBody(body: Buffer): Buffer {
  return Buffer.concat([u32(body.length), body]);
}
