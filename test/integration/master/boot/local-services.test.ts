import { join } from 'node:path';
import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { configHandlers } from '#master/admin/handlers/config.ts';
import type { Caller } from '#master/admin/api.ts';
import { startMaster } from '#master/boot/daemon.ts';
import { ConfigStore } from '#master/store/config-store.ts';
import { EventLog } from '#master/store/event-log.ts';
import { FAKE_TOKEN, startFakeHetzner } from '#test/fake/hetzner/fake-hetzner.ts';
import { noLink } from '#test/support/link/no-ingress.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const OWNER: Caller = {
  name: 'anna',
  role: 'owner',
  templates: null,
  notify: () => undefined,
  onClose: () => undefined,
};

/** Creates a data folder whose configuration has an API token. */
async function dataWithToken(): Promise<string> {
  const data = temporaryFolder();
  const config = await ConfigStore.open(data, (error) => expect.unreachable(String(error)));
  const { config: before, revision } = config.master;
  const provider = { ...before.provider, api_token: FAKE_TOKEN };
  await config.writeMaster({ ...before, provider }, revision);
  config.close();
  return data;
}

describe('a master with an API token', () => {
  it('does not start services on its own machine unless an option allows this', async () => {
    const fake = await startFakeHetzner();
    onTestFinished(() => fake.close());
    const options = {
      ...{ data: await dataWithToken(), sshHost: '127.0.0.1', sshPort: 0, providerUrl: fake.url },
      log: pino({ level: 'silent' }),
    };
    await expect(startMaster({ ...options, localUnsafe: false })).rejects.toMatchObject({
      code: 'LOCAL_SERVICES_UNSAFE',
    });
    // The refused master has released the data folder, so the next master can start.
    for (const change of [{ local: false, localUnsafe: false }, { localUnsafe: true }]) {
      const master = await startMaster({ ...options, ...change });
      await master.close();
      expect(master.port).toBeGreaterThan(0);
    }
  });
});

describe('a master that runs services on its own machine', () => {
  it('rejects an API token, because it could not start again with a token, but accepts other settings', async () => {
    const data = temporaryFolder();
    const config = await ConfigStore.open(data, (error) => expect.unreachable(String(error)));
    onTestFinished(() => config.close());
    const events = await EventLog.open(join(data, 'activity.jsonl'), Date.now);
    onTestFinished(() => events.close());
    const handlers = configHandlers({ config, events, link: noLink() }, { refusesToken: true });
    const update = async (change: object) =>
      handlers['config.update'](
        { config: { ...config.master.config, ...change }, basedOn: config.master.revision },
        OWNER,
      );
    const provider = { ...config.master.config.provider, api_token: FAKE_TOKEN };
    await expect(update({ provider })).rejects.toMatchObject({ code: 'LOCAL_SERVICES_UNSAFE' });
    expect(config.master.config.provider.api_token).not.toBe(FAKE_TOKEN);
    await update({ max_online_players: 7 });
    expect(config.master.config.max_online_players).toBe(7);
  });
});
