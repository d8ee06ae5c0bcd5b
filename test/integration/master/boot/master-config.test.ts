import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** A token of realistic length. */
const TOKEN = 'Zq3'.repeat(21) + 'x';

async function aMaster(): Promise<MasterProcess> {
  const master = new MasterProcess(temporaryFolder(), { from: 26_700, to: 26_711 });
  onTestFinished(() => master.shutDown());
  await master.start();
  return master;
}

const fileOf = (master: MasterProcess): string => join(master.data, 'config', 'master.json');

/** Saves a changed configuration through the API, as a person does. */
async function save(master: MasterProcess, change: Record<string, unknown>): Promise<void> {
  const { config, configRevision } = await master.call('config.get', {});
  await master.call('config.update', { config: { ...config, ...change }, basedOn: configRevision });
}

describe('the master configuration over the API', () => {
  it('shows saved network settings as active only after the next start', async () => {
    const master = await aMaster();
    const { running } = await master.call('config.get', {});
    await save(master, { communication: { hostname: '127.0.0.1', port: 1999 } });
    const before = await master.call('config.get', {});
    expect(before.config.communication.port).toBe(1999);
    expect(before.running).toEqual(running);
    expect(running.port).not.toBe(1999);
    await master.shutDown();
    await master.start();
    expect((await master.call('config.get', {})).running.port).toBe(1999);
  });

  it('keeps the stored API token if the saved document contains the masked token', async () => {
    const master = await aMaster();
    const { config } = await master.call('config.get', {});
    expect(config.provider.api_token, 'none is set, which is no secret').toBe('<API_TOKEN>');
    await save(master, { provider: { ...config.provider, api_token: TOKEN } });
    const masked = await master.call('config.get', {});
    expect(masked.config.provider.api_token).toBe('••••');
    await save(master, { max_online_players: 7 });
    const file = await readFile(fileOf(master), 'utf8');
    expect(JSON.parse(file)).toMatchObject({ provider: { api_token: TOKEN }, max_online_players: 7 });
  });

  it.each([
    ['in its own field', { provider: { api_token: TOKEN, location: 5 } }],
    ['under a mistyped key', { provider: { api_tokn: TOKEN } }],
    ['under a mistyped section', { providr: { api_token: TOKEN } }],
    ['deep below an unknown key', { more: [{ inner: { list: [TOKEN] } }] }],
    ['in place of the section', { provider: TOKEN }],
    ['in another field', { provider: { location: TOKEN } }],
    ['in a list', { provider: { ssh_keys: [TOKEN, TOKEN] } }],
    ['in a rule', { firewall_rules: [{ port: TOKEN, token: TOKEN }, TOKEN] }],
    ['used as a key', { [TOKEN]: 1 }],
  ])('hides the API token in a faulty file if the token is %s', async (_where, document) => {
    const master = await aMaster();
    await writeFile(fileOf(master), JSON.stringify({ max_online_players: 55, ...document }, null, 2));
    const answer = await waitFor(
      async () => {
        const now = await master.call('config.get', {});
        // The first read may see a partially written file.
        return now.onDisk === null ? null : now;
      },
      { what: 'the faulty file to be seen' },
    );
    expect(answer.onDisk).toMatchObject({ max_online_players: 55 });
    expect(answer.config.max_online_players).toBe(100);
    const told = JSON.stringify([answer, await master.call('activity.list', { limit: 100 })]);
    // Also check for the beginning of the token, because long values may be truncated.
    expect(told).not.toContain(TOKEN.slice(0, 40));
  });

  it('does not return the text of a file that is not valid JSON', async () => {
    const master = await aMaster();
    await writeFile(fileOf(master), `{ "provider": { "api_token": "${TOKEN}" `);
    const faulty = await waitFor(
      async () => {
        const now = await master.call('config.get', {});
        return now.problems.some(({ problem }) => problem.includes('JSON')) ? now : null;
      },
      { what: 'the faulty file to be seen' },
    );
    expect(faulty.onDisk).toBeNull();
    expect(faulty.problems[0]?.line).toBe(1);
    await save(master, {});
    expect(await master.call('config.get', {})).toMatchObject({ problems: [], onDisk: null });
  });
});
