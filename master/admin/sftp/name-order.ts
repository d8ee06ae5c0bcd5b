import { PUT_FILE } from '#shared/sftp/put-file.ts';
import type { PacketReader } from './packet-reader.ts';
import { openFlag, request } from './protocol.ts';
import { formatPath, parsePath, type ByteString } from './virtual-path.ts';

/** What a request does to names. */
export interface Claim {
  readonly paths: readonly ByteString[];
  /** True when it may make, change or remove what is there. */
  readonly changes: boolean;
}

/**
 * Keeps the order of requests about names as the protocol promises it (draft 02, section 6: as if one after the
 * other) where it makes a difference: one that changes something waits for all earlier ones about the same path, a
 * folder around it or something inside; others wait for earlier changes. sshfs, for one, asks for a file's attributes
 * right behind the request that makes it.
 */
export class NameOrder {
  readonly #pending = new Map<Claim, Promise<unknown>>();

  /** Runs work in its turn. */
  run<T>(claim: Claim, work: () => Promise<T>): Promise<T> {
    const before = [...this.#pending].filter(([earlier]) => mustWait(claim, earlier)).map(([, done]) => done);
    const result = before.length === 0 ? work() : Promise.all(before).then(work);
    const done = result.then(
      () => this.#pending.delete(claim),
      () => this.#pending.delete(claim),
    );
    this.#pending.set(claim, done);
    return result;
  }
}

function mustWait(claim: Claim, earlier: Claim): boolean {
  if (!claim.changes && !earlier.changes) return false;
  return claim.paths.some((path) => earlier.paths.some((other) => overlap(path, other)));
}

function overlap(a: ByteString, b: ByteString): boolean {
  return a === b || a.startsWith(b === '/' ? b : `${b}/`) || b.startsWith(a === '/' ? a : `${a}/`);
}

const READS = new Set<number>([request.LSTAT, request.STAT, request.OPENDIR, request.READLINK]);
const CHANGES = new Set<number>([request.SETSTAT, request.REMOVE, request.MKDIR, request.RMDIR]);
/** Extensions whose first two fields are the paths that they change. */
const MOVING = new Set<string>(['posix-rename@openssh.com', PUT_FILE]);
const WRITING = openFlag.WRITE | openFlag.APPEND | openFlag.CREAT | openFlag.TRUNC;

/**
 * What a request claims of names.
 *
 * @param fields a reader of its own, behind the request id
 * @returns null for one about an open file, and for one that its handler will refuse
 */
export function claimOf(type: number, fields: PacketReader): Claim | null {
  try {
    if (READS.has(type)) return { paths: [canonical(fields)], changes: false };
    if (CHANGES.has(type)) return { paths: [canonical(fields)], changes: true };
    if (type === request.RENAME) return { paths: [canonical(fields), canonical(fields)], changes: true };
    if (type === request.OPEN) return { paths: [canonical(fields)], changes: (fields.u32() & WRITING) !== 0 };
    if (type !== request.EXTENDED || !MOVING.has(fields.byteString())) return null;
    return { paths: [canonical(fields), canonical(fields)], changes: true };
  } catch {
    // What is wrong with it is the handler's to say.
    return null;
  }
}

function canonical(fields: PacketReader): ByteString {
  return formatPath(parsePath(fields.byteString()));
}
