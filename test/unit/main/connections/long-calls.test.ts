import { Duplex } from 'node:stream';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createRpcClient } from '#main/connections/rpc-client.ts';

/** Returns a master that never responds. */
function silentMaster(): Duplex {
  return new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
}

it('a call that copies many files has a longer timeout than other calls', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const client = createRpcClient(silentMaster(), {
    address: 'here:1',
    onNotification: () => undefined,
    onClose: () => undefined,
  });
  const ended: string[] = [];
  const note = (name: string, call: Promise<unknown>) =>
    call.catch((error: unknown) => {
      ended.push(`${name} ${(error as { code: string }).code}`);
    });
  const task = '00000000-0000-4000-8000-000000000000';
  const all = [
    note('list', client.call('templates.list', {})),
    note('duplicate', client.call('templates.duplicate', { from: 'a', to: 'b', files: true })),
    note(
      'copy',
      client.call('files.copy', { paths: ['/files/a'], folder: '/files/b', onConflict: 'refuse', task }),
    ),
  ];
  await vi.advanceTimersByTimeAsync(20 * 60_000);
  expect(ended).toEqual(['list REQUEST_TIMEOUT']);
  client.close();
  await Promise.all(all);
  expect(ended.slice(1).sort()).toEqual(['copy CONNECTION_LOST', 'duplicate CONNECTION_LOST']);
});
