import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MAX_DOCUMENT_BYTES } from '#shared/config/document.ts';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** A token of realistic length. */
const TOKEN = 'Zq3'.repeat(21) + 'x';
const OTHER_TOKEN = 'k7W'.repeat(21) + 'y';

async function aMaster(): Promise<MasterProcess> {
  const master = new MasterProcess(temporaryFolder(), { from: 26_700, to: 26_711 });
  onTestFinished(() => master.shutDown());
  await master.start();
  return master;
}

const fileOf = (master: MasterProcess, ...parts: string[]): string => join(master.data, 'config', ...parts);

async function lobbyOf(master: MasterProcess) {
  const [lobby] = await master.call('templates.list', {});
  if (lobby === undefined) throw new Error('there is no template');
  return lobby;
}

/** Creates a master whose template `lobby` has this text in its file, and waits until the master has read it. */
async function aMasterWithFaultyLobby(text: string | Buffer): Promise<MasterProcess> {
  const master = await aMaster();
  await master.call('templates.create', { id: 'lobby', config: { maxPlayers: 20 } });
  await writeFile(fileOf(master, 'templates', 'lobby.json'), text);
  await waitFor(async () => (await lobbyOf(master)).problems.length > 0, {
    what: 'the faulty file to be seen',
  });
  return master;
}

describe('the faulty configuration file of a template', () => {
  it.each([
    ['is not JSON', '{ "maxPlayers": 30,\n  // twenty before\n'],
    ['breaks the schema', '{ "maxPlayers": 0 }\n'],
  ])('is returned as text and can be corrected if it %s', async (_what, text) => {
    const master = await aMasterWithFaultyLobby(text);
    const opened = await master.call('templates.text', { id: 'lobby' });
    const faulty = await lobbyOf(master);
    expect(opened).toEqual({ text, revision: faulty.configRevision });
    expect(faulty.config.maxPlayers, 'the last good value stays in use').toBe(20);

    const basedOn = opened.revision;
    const saved = await master.call('templates.update', {
      id: 'lobby',
      config: { maxPlayers: 30 },
      basedOn,
    });
    expect(saved).toMatchObject({ config: { maxPlayers: 30 }, problems: [] });
    expect(await lobbyOf(master)).toMatchObject({ config: { maxPlayers: 30 }, problems: [] });
    const [event] = await master.call('activity.list', { kinds: ['template.changed'], limit: 1 });
    expect(event?.cause).toContain('maxPlayers');
  });

  it('is not overwritten with invalid values, and the error names the invalid fields', async () => {
    const text = '{ "maxPlayers": 0 }\n';
    const master = await aMasterWithFaultyLobby(text);
    const { revision: basedOn } = await master.call('templates.text', { id: 'lobby' });
    await expect(
      master.call('templates.update', { id: 'lobby', config: { maxPlayers: -3 }, basedOn }),
    ).rejects.toMatchObject({
      code: 'CONFIG_FAULTY',
      message: expect.stringContaining('maxPlayers') as string,
    });
    expect(await readFile(fileOf(master, 'templates', 'lobby.json'), 'utf8')).toBe(text);
  });

  it('is not overwritten if another person has changed it after it was opened', async () => {
    const master = await aMasterWithFaultyLobby('{ "maxPlayers": 0 }\n');
    const { revision: basedOn } = await master.call('templates.text', { id: 'lobby' });
    const theirs = '{ "maxPlayers": 7, }\n';
    await writeFile(fileOf(master, 'templates', 'lobby.json'), theirs);
    await expect(
      master.call('templates.update', { id: 'lobby', config: { maxPlayers: 30 }, basedOn }),
    ).rejects.toMatchObject({ code: 'CONFIG_CONFLICT' });
    expect(await master.call('templates.text', { id: 'lobby' })).toMatchObject({ text: theirs });
  });

  it.each([
    ['is not UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), 'not UTF-8'],
    ['is too large', Buffer.alloc(MAX_DOCUMENT_BYTES + 1, 0x20), 'the maximum is'],
  ])('is rejected with a reason if it %s', async (_what, bytes, reason) => {
    const master = await aMasterWithFaultyLobby(bytes);
    await expect(master.call('templates.text', { id: 'lobby' })).rejects.toMatchObject({
      code: 'DOCUMENT_NOT_TEXT',
      message: expect.stringContaining(reason) as string,
    });
  });

  it('is reported as missing if the template does not exist', async () => {
    const master = await aMaster();
    await expect(master.call('templates.text', { id: 'nether' })).rejects.toMatchObject({
      code: 'TEMPLATE_NOT_FOUND',
    });
  });
});

describe('a faulty master.json', () => {
  async function aMasterWithToken(): Promise<MasterProcess> {
    const master = await aMaster();
    const { config, configRevision: basedOn } = await master.call('config.get', {});
    const provider = { ...config.provider, api_token: TOKEN };
    await master.call('config.update', { config: { ...config, provider }, basedOn });
    return master;
  }

  it('is returned with a masked API token, and keeps this token after a correction', async () => {
    const master = await aMasterWithToken();
    await writeFile(
      fileOf(master, 'master.json'),
      `{ "max_online_players": "55", "provider": { "api_token": "${TOKEN}" } }`,
    );
    const { text, revision: basedOn } = await master.call('config.text', {});
    expect(text).toBe(`{ "max_online_players": "55", "provider": { "api_token": "••••" } }`);
    const config = { max_online_players: 55, provider: { api_token: '••••' } };
    const saved = await master.call('config.update', { config, basedOn });
    expect(saved).toMatchObject({ config: { max_online_players: 55 }, problems: [] });
    expect(JSON.parse(await readFile(fileOf(master, 'master.json'), 'utf8'))).toMatchObject({
      max_online_players: 55,
      provider: { api_token: TOKEN },
    });
  });

  it('keeps its API token if the masked token is moved from a misspelled key to api_token', async () => {
    const master = await aMasterWithToken();
    await writeFile(fileOf(master, 'master.json'), `{ "provider": { "api_tokn": "${OTHER_TOKEN}" } }`);
    const { text, revision: basedOn } = await master.call('config.text', {});
    expect(text).toBe(`{ "provider": { "api_tokn": "••••1" } }`);
    const moved = { provider: { ssh_keys: ['••••1'] } };
    await expect(master.call('config.update', { config: moved, basedOn })).rejects.toMatchObject({
      code: 'CONFIG_FAULTY',
    });
    const config = { provider: { api_token: '••••1' } };
    const saved = await master.call('config.update', { config, basedOn });
    expect(saved.config.provider.api_token).toBe('••••');
    expect(await readFile(fileOf(master, 'master.json'), 'utf8')).toContain(OTHER_TOKEN);
  });
});
