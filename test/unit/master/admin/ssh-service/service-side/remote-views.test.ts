import { describe, expect, it } from 'vitest';
import { remoteViews } from '#master/admin/ssh-service/service-side/remote-views.ts';
import { turnsOfAll, ViewTurns } from '#master/admin/ssh-service/service-side/view-turns.ts';
import type { toMaster } from '#master/admin/ssh-service/messages.ts';
import type { Peer } from '#master/admin/ssh-service/peer.ts';
import type { FileViews } from '#master/files/sftp/views/view.ts';
import { DiskReserves } from '#master/store/disk-reserve.ts';

/**
 * Creates the views of a session. The test answers as the master. `sent` contains the names of all messages, and
 * `open` counts the messages without an answer.
 */
function startViews(answer: (name: string) => Promise<unknown>) {
  const sent: string[] = [];
  const open = { now: 0, most: 0 };
  const master = {
    async call(name: string): Promise<unknown> {
      sent.push(name);
      open.now += 1;
      open.most = Math.max(open.most, open.now);
      try {
        return await answer(name);
      } finally {
        open.now -= 1;
      }
    },
    notify: (name: string) => void sent.push(`${name}, without an answer`),
    close: () => undefined,
  };
  const turns = turnsOfAll();
  const view = (session: string): FileViews =>
    remoteViews({
      // Only the types of the answers differ from those of a real peer.
      master: master as unknown as Peer<typeof toMaster>,
      ...{ session, turns: new ViewTurns(turns), disks: new DiskReserves(() => 0) },
    })(null);
  return { sent, open, view };
}

const answers: Record<string, unknown> = {
  'change.begin': { handle: 1, folder: process.cwd(), names: ['a'] },
  'hold.take': { handle: 2 },
  'write.begin': { handle: 3 },
};

describe('an SFTP session in the SSH service', () => {
  it('needs only two answers of the master for each write', async () => {
    const { sent, view } = startViews((name) => Promise.resolve(answers[name] ?? {}));
    const { change } = view('one').volumes;
    if (change === undefined) throw new Error('volumes cannot be changed');
    const { limit, hold } = await change(['a'], 'anna', async (begun) => ({
      limit: begun.limit,
      hold: await begun.hold(),
    }));
    expect(sent.splice(0)).toEqual(['change.begin', 'hold.take', 'change.end, without an answer']);
    let written = false;
    await limit.use(100, () => hold.run(() => Promise.resolve(void (written = true))));
    expect(written).toBe(true);
    expect(sent).toEqual(['change.use', 'write.begin', 'write.end, without an answer']);
  });

  it('sends at most 16 requests to the master at a time, and all sessions together at most 512', async () => {
    const release: (() => void)[] = [];
    const { open, view } = startViews(() => new Promise((resolve) => release.push(() => resolve({}))));
    const all = Array.from({ length: 40 }, (_, session) => view(`session ${session}`)).flatMap((one) =>
      Array.from({ length: 64 }, () => one.services.stat(['plot-1'])),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(open.now).toBe(512);
    let answered = 0;
    while (answered < all.length) {
      answered += release.length;
      for (const one of release.splice(0)) one();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(all);
    expect(open).toEqual({ now: 0, most: 512 });

    const one = view('one');
    const own = Array.from({ length: 64 }, () => one.services.stat(['plot-1']));
    await new Promise((resolve) => setImmediate(resolve));
    expect(open.now).toBe(16);
    for (let at = 0; at < own.length; at += 16) {
      for (const next of release.splice(0)) next();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(own);
  });
});
