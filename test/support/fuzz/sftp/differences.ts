import { lstatSync, statSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { openFlag, status } from '#master/files/sftp/protocol/protocol.ts';
import type { Step } from './session-steps.ts';

/** Handle of a file or folder that is open on both servers. */
export interface OpenHandle {
  readonly isFolder: boolean;
  readonly flags: number;
  /** Number of the file in OpenSSH's folder, which stays the same if the file is renamed. */
  readonly inode: number;
  /** Path with which the handle was opened. */
  readonly path: string;
}

/** State of OpenSSH's session before a step. */
export interface Before {
  readonly folder: string;
  readonly handles: readonly OpenHandle[];
}

/** Kind of step to which the master deliberately responds differently from OpenSSH. */
interface Difference {
  readonly because: string;
  readonly applies: (step: Step, before: Before) => boolean;
  /**
   * The master's status, or null for an answer with data. The step is not sent to OpenSSH, because OpenSSH might
   * execute it, and then the folders would differ.
   */
  readonly status: number | null;
}

const { READ, WRITE, CREAT, EXCL } = openFlag;
const { OK, EOF, FAILURE, NO_SUCH_FILE, PERMISSION_DENIED, BAD_MESSAGE } = status;

/** Deliberate differences in what the master does. */
const differences: readonly Difference[] = [
  {
    because: 'people cannot create links, because a service would follow them',
    applies: ({ kind }) => kind === 'symlink' || kind === 'hardlink',
    status: PERMISSION_DENIED,
  },
  {
    because: 'a link never creates the file that it names, which could be outside of the jail',
    applies: (step, before) =>
      step.kind === 'open' &&
      (step.flags & CREAT) !== 0 &&
      (step.flags & EXCL) === 0 &&
      isDangling(before, step.path),
    status: PERMISSION_DENIED,
  },
  {
    because: 'RENAME of version 3 replaces nothing; OpenSSH replaces a link without a target',
    applies: (step, before) =>
      step.kind === 'rename' && isDangling(before, step.to) && lookAt(before, step.path)?.isFile() === false,
    status: FAILURE,
  },
  {
    because: 'a folder is no file: OpenSSH opens it for reading, and fails at the first READ',
    applies: (step, before) => step.kind === 'open' && target(before, step.path)?.isDirectory() === true,
    status: FAILURE,
  },
  {
    because: 'FSTAT of an open folder is useful to clients; OpenSSH refuses it',
    applies: (step, { handles }) => step.kind === 'fstat' && handles[step.handle]?.isFolder === true,
    status: null,
  },
  {
    because: 'a copy onto the same file is recognized by the file; OpenSSH compares names',
    applies: (step, { handles }) =>
      step.kind === 'copy-data' &&
      isReadable(handles[step.handle]) &&
      isWritable(handles[step.target]) &&
      handles[step.handle]?.inode === handles[step.target]?.inode,
    status: FAILURE,
  },
  {
    because: 'access is checked before the copy; OpenSSH says nothing if there is nothing to copy',
    applies: (step, { handles }) => {
      if (step.kind !== 'copy-data') return false;
      const [from, to] = [handles[step.handle], handles[step.target]];
      if (from === undefined || to === undefined || from.isFolder || to.isFolder) return false;
      return !isReadable(from) || !isWritable(to);
    },
    status: PERMISSION_DENIED,
  },
];

/**
 * Returns whether a step cannot be compared: a copy between two different files that were opened with the same name.
 * The master compares the files, and copies. OpenSSH compares the names, and refuses the copy.
 */
export function isIncomparable(step: Step, { handles }: Before): boolean {
  if (step.kind !== 'copy-data') return false;
  const [from, to] = [handles[step.handle], handles[step.target]];
  return from !== undefined && from.path === to?.path && from.inode !== to.inode;
}

/**
 * Deliberate differences in the status of a failure: the status of OpenSSH (`theirs`), and the status of the master
 * (`ours`).
 */
const statusDifferences: readonly {
  readonly because: string;
  readonly applies: (step: Step, before: Before) => boolean;
  readonly theirs: number;
  readonly ours: number;
}[] = [
  {
    because: 'BAD_MESSAGE is for malformed packets, not for EINVAL of the system',
    applies: anyOf('readlink', 'rename', 'replace'),
    theirs: BAD_MESSAGE,
    ours: FAILURE,
  },
  {
    because: 'a file that ends before all of it was copied ends the copy with EOF, as the draft wants',
    applies: anyOf('copy-data'),
    theirs: OK,
    ours: EOF,
  },
  {
    because: 'a handle without the right to write says so',
    applies: anyOf('fsetstat'),
    theirs: BAD_MESSAGE,
    ours: PERMISSION_DENIED,
  },
  {
    because: 'a handle without the right to read or write says so',
    applies: anyOf('read', 'write'),
    theirs: NO_SUCH_FILE,
    ours: PERMISSION_DENIED,
  },
  {
    because: 'NO_SUCH_FILE is for paths, not for handles',
    applies: anyOf('close', 'fsync'),
    theirs: NO_SUCH_FILE,
    ours: FAILURE,
  },
  {
    because: 'a link that leads to itself is not followed, but it is not missing',
    applies: (step, before) => pathsOf(step).some((path) => isLoop(before, path)),
    theirs: NO_SUCH_FILE,
    ours: PERMISSION_DENIED,
  },
  {
    because: 'a path that exists is not called missing',
    applies: anyOf('opendir', 'list'),
    theirs: NO_SUCH_FILE,
    ours: FAILURE,
  },
];

/** Returns the deliberate difference that applies to a step. */
export function differenceOf(step: Step, before: Before): Difference | undefined {
  return differences.find(({ applies }) => applies(step, before));
}

/** Returns whether the statuses of OpenSSH and of the master may differ in this way. */
export function mayDiffer(
  step: Step,
  before: Before,
  { theirs, ours }: { readonly theirs: number | null; readonly ours: number | null },
): boolean {
  return statusDifferences.some(
    (row) => row.theirs === theirs && row.ours === ours && row.applies(step, before),
  );
}

function anyOf(...kinds: readonly Step['kind'][]): (step: Step) => boolean {
  return ({ kind }) => kinds.includes(kind);
}

function pathsOf(step: Step): string[] {
  return [...('path' in step ? [step.path] : []), ...('to' in step ? [String(step.to)] : [])];
}

function isLoop({ folder }: Before, path: string): boolean {
  try {
    statSync(join(folder, path));
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ELOOP';
  }
}

/**
 * Returns the mode that the master sets when a client requests `mode`. The owner always keeps access, and the mode
 * never contains setuid, setgid or the sticky bit. The same mode is requested from OpenSSH.
 */
export function masterMode(mode: number, isFolder: boolean): number {
  return (mode & 0o777) | (isFolder ? 0o700 : 0o600);
}

/** Returns the file or folder at a path of OpenSSH's folder. Follows links. */
export function target({ folder }: Before, path: string): Stats | undefined {
  return missing(() => statSync(join(folder, path)));
}

function lookAt({ folder }: Before, path: string): Stats | undefined {
  return missing(() => lstatSync(join(folder, path)));
}

function isDangling(before: Before, path: string): boolean {
  return lookAt(before, path)?.isSymbolicLink() === true && target(before, path) === undefined;
}

function isReadable(handle: OpenHandle | undefined): boolean {
  return handle !== undefined && !handle.isFolder && (handle.flags & READ) !== 0;
}

function isWritable(handle: OpenHandle | undefined): boolean {
  return handle !== undefined && !handle.isFolder && (handle.flags & WRITE) !== 0;
}

function missing(look: () => Stats): Stats | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
