import { PUT_FILE } from '#shared/sftp/put-file.ts';
import type { PacketReader } from './protocol/packet-reader.ts';
import { openFlag, request } from './protocol/protocol.ts';
import { formatPath, parsePath, type ByteString } from './protocol/virtual-path.ts';

/**
 * The names or the open handle that a request uses. They decide for which earlier requests the request has to wait.
 */
export interface Claim {
  readonly paths: readonly ByteString[];
  /**
   * Handle in the form in which the client has sent it, for a request about an open file. The file may have been
   * renamed since it was opened.
   */
  readonly handle?: string;
  /** Whether the request may create, change or remove something. */
  readonly changes: boolean;
  /**
   * Whether no other request of the session may run at the same time. Set for long-running requests, so that at most
   * one of them runs at a time.
   */
  readonly alone?: boolean;
}

/**
 * Runs the requests about names. The protocol requires the same result as if the requests ran one after the other
 * (draft 02, section 6). Requests run in parallel where this cannot change the result. A request that changes
 * something waits for all earlier requests about the same path, a parent folder, or something inside it. Any other
 * request waits only for earlier changes at these paths. For example, sshfs requests the attributes of a file right
 * after the request that creates the file or writes to it.
 *
 * The current name of an open file is unknown, because the file may have been renamed. A request about a name
 * therefore waits for all earlier changes through handles. A read through a handle waits for all earlier changes
 * except those through the same handle, because the OperationQueue of the handle orders these. Waiting does not delay
 * an answer, because answers are sent in the order of the requests.
 */
export class NameOrder {
  readonly #pending = new Map<Claim, Promise<unknown>>();

  /** Runs `work` after all earlier requests for which the claim has to wait. */
  run<T>(claim: Claim, work: () => Promise<T>): Promise<T> {
    if (this.#pending.size === 0 && isHandleRead(claim)) return work();
    const before = [...this.#pending].filter(([earlier]) => mustWait(claim, earlier)).map(([, done]) => done);
    const result = before.length === 0 ? work() : Promise.all(before).then(work);
    // No other request has to wait for a read through a handle.
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
/** Extended requests that read or copy whole files. */
const LONG = new Set<string>(['copy-data', 'check-file', 'check-file-handle', 'check-file-name']);
const CHANGES = new Set<number>([request.SETSTAT, request.REMOVE, request.MKDIR, request.RMDIR]);
/** Extended requests whose first two fields are the paths that they change. */
const MOVING = new Set<string>(['posix-rename@openssh.com', PUT_FILE]);
const WRITING = openFlag.WRITE | openFlag.APPEND | openFlag.CREAT | openFlag.TRUNC;

/**
 * Returns the names or the handle that a request uses.
 *
 * @param fields a separate reader, positioned after the request id
 * @returns null if the request neither depends on others nor changes anything, or if its handler will refuse it
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
    // The fields are malformed or the path is refused. The handler of the request reports this.
    return null;
  }
}

function canonical(fields: PacketReader): ByteString {
  return formatPath(parsePath(fields.byteString()));
}
