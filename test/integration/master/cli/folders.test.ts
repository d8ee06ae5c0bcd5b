import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { templateConfigSchema } from '#shared/config/template.ts';

import { templateWarnings } from '#shared/config/warnings.ts';
import { openKeyStore } from '#master/admin/keys.ts';
import type { Finding } from '#master/doctor/finding.ts';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { openTemplates, settled } from '#test/support/files/template-fixture.ts';
import { practiceServerJar } from '#test/support/players/practice-server.ts';
import { makePerson } from '#test/support/master/admin-master.ts';
import { cliOf, type Printed } from '#test/support/master/command-line.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

let data: string;
let folder: string;

beforeEach(async () => {
  data = join(temporaryFolder(), 'data');
  await cli('init');
  folder = join(data, 'templates', 'lobby');
  await mkdir(join(folder, 'jre', 'bin'), { recursive: true });
  await mkdir(join(data, 'config', 'templates'), { recursive: true });
  await writeFile(join(data, 'config', 'templates', 'lobby.json'), '{}');
  await copyFile(await practiceServerJar(), join(folder, 'server.jar'));
});

const cli = (...args: readonly string[]): Promise<Printed> => cliOf(data)(...args);

/** Returns the error that the master reports about the folder when it starts a service from it. */
async function problemAtStart(): Promise<string | null> {
  const { templates: root, revisions } = dataFolderAt(data);
  return (await settled(await openTemplates({ root, revisions }), 'any')).problem;
}

describe('`check`, `doctor`, `template list` and the start of a service all find that', () => {
  it('a Java runtime with symbolic links is valid', async () => {
    await writeFile(join(folder, 'jre', 'bin', 'java'), '#!/bin/sh\n');
    await symlink('java', join(folder, 'jre', 'bin', 'javaw'));
    expect(await problemAtStart()).toBeNull();
    expect(await cli('check')).toMatchObject({ code: 0 });
    expect((await cli('template', 'list')).text).toMatch(/lobby .* ok\n/);
  });

  it.each([
    ['a link to a target outside of the folder', () => symlink('/etc/passwd', join(folder, 'passwd'))],
    ['a truncated server.jar', () => writeFile(join(folder, 'server.jar'), 'PK\u0003\u0004 and no more')],
    ['an empty server.jar', () => writeFile(join(folder, 'server.jar'), '')],
  ])('%s is invalid', async (_what, make) => {
    await make();
    const problem = await problemAtStart();
    expect(problem).not.toBeNull();
    const check = await cli('check', '--json');
    expect(check.code).toBe(1);
    expect(JSON.parse(check.text)).toEqual([{ severity: 'mistake', file: 'templates/lobby', problem }]);
    const findings = JSON.parse((await cli('doctor', '--json')).text) as Finding[];
    expect(findings).toContainEqual({
      check: 'templates/lobby',
      verdict: 'bad',
      found: problem,
      advice: null,
    });
    expect((await cli('template', 'list')).text).toMatch(/lobby .* folder unusable\n/);
    expect(await cli('template', 'show', 'lobby')).toMatchObject({
      code: 1,
      text: expect.stringContaining(problem ?? '?') as unknown,
    });
  });

  it('a default service file that is a link or an undeclared directory is invalid (tested with `check`)', async () => {
    await mkdir(join(data, 'files', 'folder'), { recursive: true });
    await symlink('/etc/passwd', join(data, 'files', 'link'));
    const defaultServiceFiles = ['link', 'folder'].map((path) => ({ path, destination: path }));
    await writeFile(join(data, 'config', 'templates', 'lobby.json'), JSON.stringify({ defaultServiceFiles }));
    const { code, text } = await cli('check');
    expect(code).toBe(1);
    expect(text).toMatch(/defaultServiceFiles\[0\]: .*link is a link or a special file|"link" is a link/);
    expect(text).toContain('"folder" is a directory; switch "directory" on');
  });
});

it('in `check`, an unusual but valid configuration causes only a warning', async () => {
  const config = { minimumRunningServers: 5, maximumOnlineServers: 3 };
  await writeFile(join(data, 'config', 'templates', 'lobby.json'), JSON.stringify(config));
  const message = templateWarnings(templateConfigSchema.parse(config))[0]?.message ?? '';
  const check = await cli('check');
  expect(check).toMatchObject({
    code: 0,
    text: `Warning: config/templates/lobby.json: ${message}\nNo mistakes found.\n`,
  });
  expect(JSON.parse((await cli('check', '--json')).text)).toEqual([
    { severity: 'warning', file: 'config/templates/lobby.json', problem: message },
  ]);
  const findings = JSON.parse((await cli('doctor', '--json')).text) as Finding[];
  expect(findings.find(({ found }) => found === message)?.verdict).toBe('warning');
  expect((await cli('template', 'list')).text).toMatch(/lobby .* warning\n/);
  expect(await cli('template', 'show', 'lobby')).toMatchObject({
    code: 0,
    text: expect.stringContaining(`Warning: ${message}`) as unknown,
  });
});

it('in `check`, a player limit without a proxy, and a permission without an effect, cause warnings', async () => {
  const proxy = join(data, 'config', 'templates', 'lobby.json');
  await writeFile(proxy, JSON.stringify({ isProxy: true, joinPermission: 'vip' }));
  expect((await cli('check')).text).toContain(
    'Warning: config/templates/lobby.json: joinPermission is "vip", but',
  );
  await writeFile(proxy, JSON.stringify({ isProxy: false, joinPermission: 'vip' }));
  const { code, text } = await cli('check');
  expect(text).toContain(
    'Warning: config/master.json: max_online_players is 100, but no template is a proxy',
  );
  expect(text).not.toContain('joinPermission');
  expect(code).toBe(0);
});

it('in `check`, a key that is limited to missing templates causes a warning', async () => {
  const store = await openKeyStore(join(data, 'config', 'keys.json'));
  const { publicKey } = makePerson('ben');
  await store.add({ name: 'ben', role: 'files', templates: ['lobby', 'lob*', 'bedwars*'], publicKey });
  const { code, text } = await cli('check');
  expect(code).toBe(0);
  expect(text).toContain(
    'Warning: config/keys.json: The key ben is for "bedwars*", but no template matches it.',
  );
  expect(text).not.toContain('lob');
});
