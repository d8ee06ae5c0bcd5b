import type { RemoteEntry, Transfer } from '#shared/ipc/contract.ts';

/** A fixed moment for tests that show times, ms since epoch. */
export const AT = Date.UTC(2026, 2, 1, 18, 0, 0);

/** A file (or folder, with `kind`) of 1 KB in a folder. */
export function anEntry(path: string, rest: Partial<RemoteEntry> = {}): RemoteEntry {
  const folder = rest.kind === 'folder';
  return {
    name: path.slice(path.lastIndexOf('/') + 1),
    path,
    kind: 'file',
    bytes: folder ? 0 : 1024,
    modifiedAt: AT - 86_400_000,
    mode: folder ? 0o755 : 0o644,
    ...rest,
  };
}

/** An upload that is half done. */
export function aTransfer(id: string, rest: Partial<Transfer> = {}): Transfer {
  return {
    id,
    direction: 'upload',
    name: 'server.jar',
    remotePath: '/templates/lobby/server.jar',
    localPath: '/home/anna/server.jar',
    state: 'running',
    files: { done: 0, total: 1 },
    bytes: { done: 24_100_000, total: 48_200_000 },
    bytesPerSecond: 3_100_000,
    startedAt: AT,
    endedAt: null,
    error: null,
    ...rest,
  };
}
