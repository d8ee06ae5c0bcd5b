import { describe, expect, it } from 'vitest';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { isRefusal } from '#shared/errors/refusal.ts';

const path = '/templates/lobby/a.txt';

describe('isRefusal (a write of a file failed, and nothing was written)', () => {
  it.each([
    [true, 'the file was changed', new OverworldError('FILE_CHANGED', { path })],
    [true, 'the disk is full', new OverworldError('DISK_FULL', { path })],
    [
      true,
      'there was no connection from the start',
      new OverworldError('NOT_CONNECTED', { status: 'waiting' }),
    ],
    [false, 'the connection was lost', new OverworldError('TRANSFER_FAILED', { path, why: 'it was lost' })],
    [false, 'the error is unknown', new TypeError('x is undefined')],
  ])('is %s if %s', (is, _why, error) => {
    expect(isRefusal(error)).toBe(is);
  });
});
