import { describe, expect, it } from 'vitest';
import { toDestination } from '#renderer/view/transfer.ts';
import { aTransfer } from '#test/support/models.ts';

describe('toDestination', () => {
  it.each([
    {
      name: 'an upload: the folder on the master',
      transfer: aTransfer('1', { remotePath: '/templates/survival/server.jar' }),
      want: 'templates/survival',
    },
    {
      name: 'a download: the folder on this computer',
      transfer: aTransfer('1', { direction: 'download', localPath: '/home/anna/Downloads/server.jar' }),
      want: '/home/anna/Downloads',
    },
    {
      name: 'a download on Windows',
      transfer: aTransfer('1', { direction: 'download', localPath: 'C:\\Users\\anna\\server.jar' }),
      want: 'C:\\Users\\anna',
    },
    {
      name: 'an upload to the very top',
      transfer: aTransfer('1', { remotePath: '/server.jar' }),
      want: '',
    },
  ])('$name', ({ transfer, want }) => {
    expect(toDestination(transfer)).toBe(want);
  });
});
