import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { watchKeys } from '#master/admin/keys-watch.ts';
import { openKeyStore } from '#master/admin/keys.ts';
import { watchBackups } from '#master/backup/watch-backups.ts';
import { ConfigStore } from '#master/store/config-store.ts';
import { EventLog } from '#master/store/event-log.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const { noWatchLeft } = vi.hoisted(() => ({
  noWatchLeft: Object.assign(new Error('ENOSPC: System limit for number of file watchers reached'), {
    code: 'ENOSPC',
  }),
}));
vi.mock(import('node:fs'), async (original) => ({
  ...(await original()),
  watch: () => {
    throw noWatchLeft;
  },
}));

/** Makes intervals pass only when the test says so. */
function withoutTime(): void {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}

describe('a master on a system that has no watches left', () => {
  it('reads its configuration at intervals instead, and reports the reason once for each folder', async () => {
    withoutTime();
    const data = temporaryFolder();
    const errors: unknown[] = [];
    const store = await ConfigStore.open(data, (error) => errors.push(error));
    onTestFinished(() => store.close());
    for (const maxPlayers of [20, 30]) {
      const path = join(data, 'config/templates/lobby.json');
      await writeFile(path, JSON.stringify({ name: 'Lobby', maxPlayers }));
      vi.advanceTimersByTime(10_000);
      await waitFor(() => store.templates.get('lobby')?.state.config.maxPlayers === maxPlayers);
    }
    expect(errors).toEqual([noWatchLeft, noWatchLeft]);
  });

  it('reads its keys and the state of its backups at intervals instead', async () => {
    withoutTime();
    const data = temporaryFolder();
    const path = join(data, 'keys.json');
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    const events = await EventLog.open(join(data, 'activity.jsonl'), Date.now);
    onTestFinished(() => events.close());
    const keys = await openKeyStore(path, Date.now);
    const topics = { publish: () => undefined };
    onTestFinished(watchKeys({ path, keys, events, topics: topics as never, onError }));
    await mkdir(join(data, 'backup'), { recursive: true });
    onTestFinished(
      watchBackups({ dataFolder: data, events, now: Date.now, changed: () => undefined, onError }),
    );
    expect(errors).toEqual([noWatchLeft, noWatchLeft]);
    await writeFile(path, 'faulty');
    vi.advanceTimersByTime(10_000);
    await waitFor(() => events.query({ kinds: ['config.faulty'], limit: 1 }).length === 1);
  });
});
