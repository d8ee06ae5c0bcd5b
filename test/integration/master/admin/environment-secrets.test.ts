import { join } from 'node:path';
import { readFile, writeFile } from 'node:fs/promises';
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { startMaster } from '#master/boot/daemon.ts';
import { withMaster } from '#master/cli/client.ts';
import { SECRET_MASK } from '#shared/config/secret.ts';
import type { Template } from '#shared/model/template.ts';
import { connect, makePerson, openRpc } from '#test/support/master/admin-master.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const PASSWORD = 'hunter2';

it('only keys that may read the document of a template can see values of its environment variables', async () => {
  const data = temporaryFolder();
  const running = await startMaster({
    ...{ data, sshHost: '127.0.0.1', sshPort: 0, local: false, log: pino({ level: 'silent' }) },
  });
  const { host, port, hostKey } = running;
  onTestFinished(() => running.close());
  const environment = [{ name: 'DB_PASSWORD', value: PASSWORD }];
  const people = {
    viewer: { role: 'viewer' },
    operator: { role: 'operator' },
    limited: { role: 'operator', templates: ['lobby'] },
  } as const;
  const keys = new Map(Object.keys(people).map((name) => [name, makePerson(name)]));
  await withMaster(data, async (master) => {
    for (const id of ['lobby', 'arena']) {
      await master.call('templates.create', { id, config: { environment } });
    }
    for (const [name, rights] of Object.entries(people)) {
      const templates = 'templates' in rights ? { templates: [...rights.templates] } : {};
      const publicKey = keys.get(name)?.publicKey ?? '';
      await master.call('keys.add', { name, role: rights.role, publicKey, ...templates });
    }
  });
  const seenBy = async (name: string): Promise<Record<string, unknown>> => {
    const person = keys.get(name) ?? makePerson(name);
    const rpc = await openRpc(
      await connect({ server: { host, port }, hostKey: { fingerprint: hostKey } }, person),
    );
    const templates: Template[] = await rpc.sendRequest('templates.list', {});
    const events = JSON.stringify(await rpc.sendRequest('activity.list', { limit: 50 }));
    expect(events).not.toContain(PASSWORD);
    return Object.fromEntries(
      templates.map(({ id, config, problems }) => {
        expect(JSON.stringify(problems)).not.toContain(PASSWORD);
        return [id, config.environment[0]];
      }),
    );
  };
  const shown = environment[0];
  const hidden = { name: 'DB_PASSWORD', value: SECRET_MASK };
  expect(await seenBy('viewer')).toEqual({ arena: hidden, lobby: hidden });
  expect(await seenBy('operator')).toEqual({ arena: shown, lobby: shown });
  expect(await seenBy('limited')).toEqual({ arena: hidden, lobby: shown });

  // A faulty document is explained without its values.
  const path = join(data, 'config', 'templates', 'lobby.json');
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace(`"value": "${PASSWORD}"`, `"value": ["${PASSWORD}"]`));
  await waitFor(async () => {
    const templates = await withMaster(data, (master) => master.call('templates.list', {}));
    return templates
      .find(({ id }) => id === 'lobby')
      ?.problems.some(({ field }) => field === 'environment[0].value');
  });
  expect(await seenBy('viewer')).toEqual({ arena: hidden, lobby: hidden });
});
