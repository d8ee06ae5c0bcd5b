import { describe, expect, it } from 'vitest';
import { closeOpen, type OpenFile } from '#master/files/sftp/handles.ts';
import { OperationQueue } from '#master/files/sftp/operation-queue.ts';
import { noReserves } from '#master/store/disk-reserve.ts';
import { GrowingFile } from '#master/files/sftp/growing-file.ts';
import { openFolderArea } from '#master/files/sftp/jail/file-area.ts';
import { PoolBypass } from '#master/files/sftp/jail/pool-bypass.ts';

/** Above the kernel's maximum number of descriptors, so that every call on it fails. */
const NO_DESCRIPTOR = 2 ** 30 + 1;

describe('closeOpen (closes an open file of an SFTP client)', () => {
  it('closes a written file even if its final size cannot be read', async () => {
    const path: OpenFile['path'] = { area: 'files', names: [] };
    const area = await openFolderArea('/');
    const open: OpenFile = {
      ...{ kind: 'file', file: NO_DESCRIPTOR, area, path, shown: path },
      ...{ queue: new OperationQueue(() => Promise.resolve()), calls: new PoolBypass() },
      ...{ readable: true, writable: true, changed: true, isNew: false, size: Infinity },
      ...{ limit: noReserves().of('/'), guard: (work) => work(), release: () => undefined },
      growing: new GrowingFile(NO_DESCRIPTOR, noReserves().of('/')),
    };
    await expect(closeOpen(open)).rejects.toMatchObject({ code: 'EBADF', syscall: 'close' });
  });
});
