import { PUT_FILE } from '#shared/sftp/put-file.ts';
import type { PacketReader } from './packet-reader.ts';
import { openFlag, request } from './protocol.ts';
import { formatPath, parsePath, type ByteString } from './virtual-path.ts';

/** What a request does to names, or to the file behind an open handle. */
export interface Claim {
  readonly paths: readonly ByteString[];
  /** The handle as the client sent it, where the request is about an open file: it may have any name by now. */
  readonly handle?: string;
  /** True when it may make, change or remove what is there. */
  readonly changes: boolean;
  /** True for what takes long: of one session nothing goes on beside it, so there is one such request at a time. */
  readonly alone?: boolean;
}

/**
 * Keeps the order of requests about names as the protocol promises it (draft 02, section 6: as if one after the
 * other) where it makes a difference: one that changes something waits for all earlier ones about the same path, a
 * folder around it or something inside; others wait for earlier changes. sshfs, for one, asks for a file's attributes
 * right behind the request that makes it, and right behind those that write to it.
 *
 * Which name an open file has is not known here, so a request about a name waits for all earlier changes through
 * handles, and reading through a handle for all earlier changes other than its own (these are the order of its
 * OperationQueue). That delays no answer, as answers leave in the order of the requests.
 */
export class NameOrder {
  readonly #pending = new Map<Claim, Promise<unknown>>();

  /** Runs work in its turn. */
  run<T>(claim: Claim, work: () => Promise<T>): Promise<T> {
    if (this.#pending.size === 0 && isHandleRead(claim)) return work();
    const before = [...this.#pending].filter(([earlier]) => mustWait(claim, earlier)).map(([, done]) => done);
    const result = before.length === 0 ? work() : Promise.all(before).then(work);
    // Nothing has to wait for it.
    if (isHandleRead(claim)) return result;
    const done = result.then(
      () => this.#pending.delete(claim),
      () => this.#pending.delete(claim),
    );
    this.#pending.set(claim, done);
    return result;
  }
}

function isHandleRead({ handle, changes, alone }: Claim): boolean {
  return handle !== undefined && !changes && alone !== true;
}

function mustWait(claim: Claim, earlier: Claim): boolean {
  if (claim.alone === true || earlier.alone === true) return true;
  if (claim.handle !== undefined) return !claim.changes && earlier.changes && earlier.handle !== claim.handle;
  if (earlier.handle !== undefined) return true;
  if (!claim.changes && !earlier.changes) return false;
  return claim.paths.some((path) => earlier.paths.some((other) => overlap(path, other)));
}

function overlap(a: ByteString, b: ByteString): boolean {
  return a === b || a.startsWith(b === '/' ? b : `${b}/`) || b.startsWith(a === '/' ? a : `${a}/`);
}

const READS = new Set<number>([request.LSTAT, request.STAT, request.OPENDIR, request.READLINK]);
const HANDLE_READS = new Set<number>([request.READ, request.FSTAT]);
const HANDLE_CHANGES = new Set<number>([request.WRITE, request.FSETSTAT, request.CLOSE]);
/** Extensions that read or copy whole files. */
const LONG = new Set<string>(['copy-data', 'check-file', 'check-file-handle', 'check-file-name']);
const CHANGES = new Set<number>([request.SETSTAT, request.REMOVE, request.MKDIR, request.RMDIR]);
/** Extensions whose first two fields are the paths that they change. */
const MOVING = new Set<string>(['posix-rename@openssh.com', PUT_FILE]);
const WRITING = openFlag.WRITE | openFlag.APPEND | openFlag.CREAT | openFlag.TRUNC;

/**
 * What a request claims of names.
 *
 * @param fields a reader of its own, behind the request id
 * @returns null for one that neither depends on others nor changes anything, and for one that its handler will refuse
 */
export function claimOf(type: number, fields: PacketReader): Claim | null {
  try {
    if (HANDLE_READS.has(type)) return { paths: [], handle: fields.byteString(), changes: false };
    if (HANDLE_CHANGES.has(type)) return { paths: [], handle: fields.byteString(), changes: true };
    if (READS.has(type)) return { paths: [canonical(fields)], changes: false };
    if (CHANGES.has(type)) return { paths: [canonical(fields)], changes: true };
    if (type === request.RENAME) return { paths: [canonical(fields), canonical(fields)], changes: true };
    if (type === request.OPEN) return { paths: [canonical(fields)], changes: (fields.u32() & WRITING) !== 0 };
    if (type !== request.EXTENDED) return null;
    const extension = fields.byteString();
    if (LONG.has(extension)) return { paths: [], changes: true, alone: true };
    if (!MOVING.has(extension)) return null;
    return { paths: [canonical(fields), canonical(fields)], changes: true };
  } catch {
    // What is wrong with it is the handler's to say.
    return null;
  }
}

function canonical(fields: PacketReader): ByteString {
  return formatPath(parsePath(fields.byteString()));
}
