import fc from 'fast-check';
import { openFlag } from '#master/files/sftp/protocol/protocol.ts';

/** Paths in the folder of a session. The links exist from the beginning. */
const paths = [
  'a',
  'b',
  'folder',
  'folder/a',
  'folder/b',
  'folder/deep',
  'folder/deep/a',
  'a/below',
  'missing/a',
  'link',
  'folder-link',
  'folder-link/a',
  'dangling',
] as const;

/**
 * One request of a random session, or a few requests that belong together. `handle` is an index in the list of open
 * handles.
 */
export type Step =
  | { readonly kind: 'open'; readonly path: string; readonly flags: number; readonly mode: number | null }
  | { readonly kind: 'opendir' | 'list' | 'remove' | 'rmdir' | 'mkdir'; readonly path: string }
  | { readonly kind: 'stat' | 'lstat' | 'readlink' | 'statvfs'; readonly path: string }
  | { readonly kind: 'close' | 'fstat' | 'fsync'; readonly handle: number }
  | { readonly kind: 'read'; readonly handle: number; readonly at: number; readonly bytes: number }
  | { readonly kind: 'write'; readonly handle: number; readonly at: number; readonly text: string }
  | {
      readonly kind: 'rename' | 'replace' | 'symlink' | 'hardlink';
      readonly path: string;
      readonly to: string;
    }
  | { readonly kind: 'setstat'; readonly path: string; readonly change: Change }
  | { readonly kind: 'fsetstat'; readonly handle: number; readonly change: Change }
  | {
      readonly kind: 'copy-data';
      readonly handle: number;
      readonly at: number;
      readonly bytes: number;
      readonly target: number;
      readonly to: number;
    };

/** Change of one attribute; times are in seconds. */
export type Change =
  { readonly size: number } | { readonly mode: number } | { readonly times: readonly [number, number] };

const path = fc.constantFrom(...paths);
const handle = fc.nat(5);
const at = fc.oneof(fc.nat(40), fc.constantFrom(4_096, 100_000));

const { READ, WRITE, APPEND } = openFlag;

/**
 * Combinations of flags of OPEN whose meaning the draft defines: READ or WRITE is set, and with APPEND, WRITE is set,
 * too.
 */
const flags = fc
  .tuple(fc.constantFrom(READ, WRITE, READ | WRITE), fc.nat(63))
  .map(([access, more]) => access | more | ((more & APPEND) === 0 ? 0 : WRITE));

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ size: fc.oneof(fc.nat(60), fc.constant(70_000)) }),
  fc.record({ mode: fc.nat(0o7777) }),
  fc.record({ times: fc.tuple(fc.nat(0x7fff_ffff), fc.nat(0x7fff_ffff)) }),
);

const kinds = <K extends string>(...names: K[]): fc.Arbitrary<K> => fc.constantFrom(...names);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: kinds('open'), path, flags, mode: fc.constantFrom(null, 0o644, 0o755) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: kinds('write'), handle, at, text: fc.string({ maxLength: 30 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: kinds('read'), handle, at, bytes: fc.constantFrom(1, 10, 100, 40_000) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: kinds('close', 'fstat', 'fsync'), handle }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: kinds('opendir', 'list', 'remove', 'rmdir', 'mkdir', 'mkdir'), path }),
  },
  { weight: 3, arbitrary: fc.record({ kind: kinds('stat', 'lstat', 'readlink', 'statvfs'), path }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: kinds('rename', 'replace', 'replace', 'symlink', 'hardlink'),
      path,
      to: path,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kinds('setstat'), path, change }) },
  { weight: 1, arbitrary: fc.record({ kind: kinds('fsetstat'), handle, change }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: kinds('copy-data'), handle, at, bytes: fc.nat(50), target: handle, to: at }),
  },
);

/** Arbitrary of random sessions. */
export const session = fc.array(step, { minLength: 1, maxLength: 80, size: 'max' });
