import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import type { Handlers } from '#master/admin/api.ts';
import { serveLocalSocket } from '#master/admin/local-socket.ts';
import { withMaster } from '#master/cli/client.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

it('a command waits longer for a method that processes many files than for other methods', async () => {
  let finish = (): void => undefined;
  const finished = new Promise<Record<string, never>>((resolve) => (finish = () => resolve({})));
  const handlers: Partial<Handlers> = {
    'volumes.delete': () => finished,
    'templates.list': () => new Promise<never>(() => undefined),
  };
  const data = temporaryFolder();
  const socket = await serveLocalSocket(data, {
    handlers: handlers as Handlers,
    log: pino({ level: 'silent' }),
  });
  onTestFinished(() => socket.close());
  const use: Parameters<typeof withMaster>[1] = async (master) => {
    const deleted = master.call('volumes.delete', { id: 'survival/1' });
    await expect(master.call('templates.list', {})).rejects.toMatchObject({
      code: 'REQUEST_TIMEOUT',
      details: { method: 'templates.list', afterMs: 20 },
    });
    finish();
    return deleted;
  };
  expect(await withMaster(data, use, 20)).toEqual({});
});
