import { describe, expect, it } from 'vitest';
import { toLocalError } from '#main/transfers/remote/file-errors.ts';

const failing = (code: string) => Object.assign(new Error(`${code}: as Node says it`), { code });

describe('an error about a file on this computer', () => {
  it.each([
    ['EXDEV', 'LOCAL_FILE_UNREADABLE', 'its destination is on another disk; copy it there'],
    ['EACCES', 'LOCAL_FILE_UNREADABLE', 'you do not have permission to read or write it'],
    ['ENOSPC', 'DISK_FULL', 'The disk is full; /home/anna/a was not written'],
    ['EIO', 'LOCAL_FILE_UNREADABLE', 'EIO: as Node says it'],
  ])('has a suitable code and message for the Node.js error %s', (code, wanted, sentence) => {
    const error = toLocalError(failing(code), '/home/anna/a');
    expect(error.code).toBe(wanted);
    expect(error.message).toContain(sentence);
  });
});
