import { appendFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
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

/** Options of a master that was given a data folder. */
function optionsFor(data: string) {
  return { data, sshHost: '127.0.0.1', sshPort: 0, log: pino({ level: 'silent' }) };
}

describe('a master with an API token', () => {
  it.each([
    { file: 'faulty', change: (path: string) => appendFile(path, '{') },
    { file: 'missing', change: (path: string) => rm(path) },
  ])('does not start services on its own machine while its master.json is $file', async ({ change }) => {
    const data = await dataWithToken();
    await change(join(data, 'config/master.json'));
    const asUser = vi.spyOn(process, 'getuid').mockReturnValue(1_000);
    onTestFinished(() => asUser.mockRestore());
    await expect(startMaster({ ...optionsFor(data), localUnsafe: false })).rejects.toMatchObject({
      code: 'LOCAL_SERVICES_UNSAFE',
      message: expect.stringContaining("the provider's API token") as string,
    });
  });

  it('does not start services on its own machine unless an option allows this', async () => {
    const fake = await startFakeHetzner();
    onTestFinished(() => fake.close());
    const options = { ...optionsFor(await dataWithToken()), providerUrl: fake.url };
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

describe('a master that runs each service on its own machine as a user of its own', () => {
  it.each([
    { from: 30_000, to: 30_100 },
    { from: 25_000, to: 25_600 },
    { from: 25_900, to: 26_000 },
  ])(
    'does not start with the ports $from-$to, at which services are not isolated from each other',
    async (ports) => {
      const localAccess = join(temporaryFolder(), 'access.json');
      const options = { ...optionsFor(temporaryFolder()), local: false, localAccess };
      // Without the file, this machine runs no services.
      const master = await startMaster({ ...options, ports });
      await master.close();
      await writeFile(localAccess, JSON.stringify({ sshPort: 1, hostKey: 'SHA256:none' }));
      await expect(startMaster({ ...options, ports })).rejects.toMatchObject({
        code: 'LOCAL_PORTS_UNSAFE',
        message: expect.stringContaining(`--ports ${ports.from}-${ports.to}`) as string,
      });
      const isolated = await startMaster({ ...options, ports: { from: 25_565, to: 25_999 } });
      await isolated.close();
    },
  );
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
