import { describe, expect, it } from 'vitest';
import { cancelRefusal, toDestination, toShare, toTransferLine } from '#renderer/view/format/transfer.ts';
import { aTransfer } from '#test/support/app/models.ts';

describe('toDestination (target of a transfer)', () => {
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
      name: 'an upload to the root',
      transfer: aTransfer('1', { remotePath: '/server.jar' }),
      want: '',
    },
  ])('returns the target of $name', ({ transfer, want }) => {
    expect(toDestination(transfer)).toBe(want);
  });
});

describe('cancelRefusal (says why a transfer cannot be cancelled)', () => {
  it.each(['queued', 'running', 'waiting', 'paused'] as const)(
    'refuses only a move that has started to remove its source, if the state is %s',
    (state) => {
      const refusals = (['copying', 'comparing', 'removing'] as const).map((step) =>
        cancelRefusal({ state, step }),
      );
      expect(refusals).toEqual([undefined, undefined, expect.stringContaining('Everything has arrived')]);
    },
  );

  it('refuses a transfer that is already being cancelled', () => {
    expect(cancelRefusal({ state: 'cancelling', step: 'copying' })).toBe('It is being cancelled');
  });
});

describe('toTransferLine (describes a transfer that moves files)', () => {
  const move = { move: true, files: { done: 3, total: 12 }, bytes: { done: 2048, total: 2048 } } as const;
  it.each([
    [{ state: 'running', bytesPerSecond: 0, remainingMs: null }, 'Moving · 2.0 kB of 2.0 kB · 3 of 12 files'],
    [{ step: 'comparing' }, 'Transferred. Comparing it with the source…'],
    [{ step: 'removing' }, 'Transferred, moving the source to the trash: 3 of 12 files'],
    [
      { step: 'removing', direction: 'download' },
      'Transferred, deleting the source on the master: 3 of 12 files',
    ],
    [{ step: 'removing', state: 'done', skipped: 1 }, 'Moved · 2.0 kB · 3 of 12 files · 1 skipped'],
  ] as const)('describes the transfer %j', (rest, want) => {
    expect(toTransferLine(aTransfer('1', { ...move, ...rest }))).toBe(want);
  });

  it('contains the number of files that are removed from the source', () => {
    expect(toShare(aTransfer('1', { ...move, step: 'removing' }))).toBe(0.25);
  });
});
