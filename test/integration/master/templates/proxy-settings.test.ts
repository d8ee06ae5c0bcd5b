import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readProxySettings } from '#master/templates/configs/forwarding.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import {
  openTemplates,
  settled,
  templatePlace,
  writeTemplate,
} from '#test/support/files/template-fixture.ts';

/** Creates the folder of a template with these files, and a folder with shared files. */
async function template(files: Record<string, string>, shared: Record<string, string> = {}) {
  const sharedFiles = join(temporaryFolder(), 'files');
  await mkdir(sharedFiles);
  for (const [name, text] of Object.entries(shared)) await writeFile(join(sharedFiles, name), text);
  const where = templatePlace();
  await writeTemplate(where, files);
  const templates = await openTemplates(where);
  const { revision } = await settled(templates, null);
  return (defaultServiceFiles: { path: string; destination: string }[] = [], from = revision ?? '') =>
    readProxySettings({ id: 'lobby', revision: from, defaultServiceFiles }, { templates, sharedFiles });
}

it('readProxySettings combines the settings of a proxy with those in its default service files', async () => {
  const files = { 'config.yml': 'listeners: []\nonline_mode: false\n' };
  const read = await template(files, { 'own.yml': 'listeners: []\n' });
  expect(await read()).toEqual({ kind: 'bungeecord', checked: false, mode: null });
  expect(await read([{ path: 'own.yml', destination: 'config.yml' }])).toEqual({
    kind: 'bungeecord',
    checked: true,
    mode: null,
  });
});

it('readProxySettings returns the forwarding mode that an admin has set for Velocity', async () => {
  const read = await template({ 'velocity.toml': 'player-info-forwarding-mode = "LEGACY"\n' });
  expect(await read()).toEqual({ kind: 'velocity', checked: true, mode: 'legacy' });
});

it('readProxySettings ignores unreadable files', async () => {
  const broken = await template({ 'velocity.toml': 'online-mode: x' });
  const silent = { kind: 'velocity', checked: true, mode: null };
  expect(await broken()).toEqual(silent);
  expect(await broken([{ path: 'missing', destination: 'velocity.toml' }])).toEqual(silent);
  expect(await broken([], 'f'.repeat(16))).toEqual({ ...silent, kind: null });
  const endless = await template({ 'velocity.toml': `a = ${'['.repeat(20_000)}${']'.repeat(20_000)}` });
  expect(await endless()).toEqual(silent);
});
