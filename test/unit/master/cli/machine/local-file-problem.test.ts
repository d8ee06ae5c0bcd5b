import { expect, it } from 'vitest';
import { localFileProblem } from '#master/cli/machine/local-file-problem.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';

it.each([
  ['EEXIST', 'FILE_EXISTS', '/x/copy already exists. Choose another name.'],
  ['EACCES', 'LOCAL_FILE_UNREADABLE', '/x/copy on this computer cannot be used: permission was denied.'],
  ['EPERM', 'LOCAL_FILE_UNREADABLE', '/x/copy on this computer cannot be used: permission was denied.'],
  ['EROFS', 'LOCAL_FILE_UNREADABLE', '/x/copy on this computer cannot be used: the disk is read-only.'],
  ['EISDIR', 'LOCAL_FILE_UNREADABLE', '/x/copy on this computer cannot be used: it is a folder.'],
  ['ENOSPC', 'DISK_FULL', 'The disk is full; /x/copy was not written. Free some space and try again.'],
])('describes %s as %s', (errno, code, message) => {
  const cause = Object.assign(new Error('failed'), { code: errno });
  expect(localFileProblem(cause, '/x/copy')).toMatchObject({ code, message, cause });
});

it('keeps errors that do not come from the file system', () => {
  for (const error of [new OverworldError('FILE_NOT_FOUND', { path: 'x' }), new Error('unknown'), 'text'])
    expect(localFileProblem(error, '/x/copy')).toBe(error);
});
