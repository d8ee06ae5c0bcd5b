import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { PartLedger } from '#main/transfers/operations/part.ts';
import { Leftovers } from '#main/transfers/queue/leftovers.ts';
import { TransferJobs } from '#main/transfers/queue/transfer-jobs.ts';
import { aTransfer } from '#test/support/app/models.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** The connected master, simulated because these tests control when a deletion ends. */
class Side {
  readonly connection = 'home';
  readonly closed = false;
  readonly deleted: string[] = [];
  hold: Promise<void> = Promise.resolve();

  files(): Promise<this> {
    return Promise.resolve(this);
  }

  async deleteFile(path: string): Promise<void> {
    this.deleted.push(path);
    await this.hold;
  }
}

const job = { policy: 'overwrite', chosen: false, move: false } as const;
let side: Side;
let jobs: TransferJobs;
let parts: PartLedger;
beforeEach(() => {
  side = new Side();
  jobs = new TransferJobs();
  jobs.add('new', job);
  parts = jobs.get('new')?.parts ?? new PartLedger(new Set());
});

function leftoversOf(home: readonly string[]): Leftovers {
  return new Leftovers({ home }, { jobs, session: side, log: pino({ level: 'silent' }) });
}

describe('Leftovers (deletes the unfinished files of ended transfers)', () => {
  it('deletes all files except those that a transfer is writing to, until the transfer has ended', async () => {
    const leftovers = leftoversOf(['/a', '/b']);
    await parts.claim('/a', '/files/a');
    await leftovers.sweep();
    expect(side.deleted).toEqual(['/b']);
    expect(leftovers.data()).toEqual({ home: ['/a'] });
    parts.release('/a');
    await leftovers.sweep();
    expect(side.deleted).toEqual(['/b', '/a']);
    expect(leftovers.data()).toEqual({});
  });

  it('keeps the files that a waiting transfer will continue, also after a restart of the app', async () => {
    const transfer = aTransfer('paused', { state: 'paused' });
    jobs.restore({ transfer, ...job, again: true, parts: { '/a': 50 } });
    await leftoversOf(['/a', '/b']).sweep();
    expect(side.deleted).toEqual(['/b']);
  });

  it('lets a transfer that claims a file wait until the deletion of the file has ended', async () => {
    let end = (): void => undefined;
    side.hold = new Promise((resolve) => (end = resolve));
    const order: string[] = [];
    const sweep = leftoversOf(['/a']).sweep();
    await expect.poll(() => side.deleted).toEqual(['/a']);
    void side.hold.then(() => order.push('deleted'));
    const claim = parts.claim('/a', '/files/a').then(() => order.push('claimed'));
    await parts.claim('/b', '/files/b');
    end();
    await Promise.all([sweep, claim]);
    expect(order).toEqual(['deleted', 'claimed']);
    expect(side.deleted).toEqual(['/a']);
  });

  it('lets a transfer claim a file whose deletion has failed', async () => {
    side.hold = Promise.reject(new Error('no permission'));
    const sweep = leftoversOf(['/a']).sweep();
    await expect.poll(() => side.deleted).toEqual(['/a']);
    await Promise.all([sweep, parts.claim('/a', '/files/a')]);
  });

  it('deletes a file only once if it is deleted at the same time for another reason', async () => {
    const leftovers = leftoversOf(['/a']);
    await Promise.all([leftovers.sweep(), leftovers.sweep()]);
    expect(side.deleted).toEqual(['/a']);
  });

  it('keeps the unfinished file of a cancelled download if another transfer writes to it', async () => {
    const [shared, own] = ['shared', 'own'].map((name) => join(temporaryFolder(), name));
    for (const path of [shared, own]) await writeFile(path ?? '', 'half');
    await parts.claim(shared ?? '', '/files/a');
    const ended = new PartLedger(new Set(), { [shared ?? '']: 1, [own ?? '']: 1 });
    await leftoversOf([]).discard(aTransfer('old', { direction: 'download' }), ended);
    await access(shared ?? '');
    await expect(access(own ?? '')).rejects.toThrow('ENOENT');
  });
});
