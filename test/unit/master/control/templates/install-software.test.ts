import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { templateConfigSchema } from '#shared/config/template.ts';
import type { SoftwareChoice } from '#shared/model/software.ts';
import { installSoftware } from '#master/control/templates/install-software.ts';
import { eulaText } from '#master/software/eula.ts';
import type { FolderState, NewFile } from '#master/templates/template-files.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const paper: SoftwareChoice = { software: 'paper', version: '1.21.11', build: '131' };
const acceptance = { eula: true, by: 'anna', at: 0 };

let folder: string;
let told: string[];
/** Whether the content of the folder becomes a revision. */
let settles: boolean;
/**
 * Name of the file that cannot be written. `after all`: an error occurs after all files were written. Null: no error.
 */
let broken: string | null;

beforeEach(async () => {
  folder = temporaryFolder();
  await mkdir(join(folder, 'lobby'));
  told = [];
  settles = true;
  broken = null;
});

/** Installs Paper in a folder that needs at most 10 ms to settle. */
function install(): Promise<string | null> {
  const state = (): FolderState => ({
    ...{
      files: 0,
      bytes: 0,
      jar: null,
      jarHash: null,
      usable: null,
      bringsJava: false,
      needsJava: null,
      problem: null,
    },
    revision: settles ? 'r1' : null,
    changing: !settles,
  });
  const put = async (_: string, files: readonly NewFile[]): Promise<string> => {
    for (const file of files) {
      if (file.name === broken) throw new Error('the disk is full');
      if ('text' in file) await writeFile(join(folder, 'lobby', file.name), file.text);
    }
    if (broken === 'after all') throw new Error('the disk is full');
    told.push('written');
    return 'r0';
  };
  const config = templateConfigSchema.parse({ isProxy: false });
  return installSoftware(
    { id: 'lobby', choice: paper, acceptance },
    {
      config: { template: () => ({ config }) },
      templates: { state, put, onChange: () => () => undefined },
    },
    {
      library: { jarPath: () => Promise.resolve('/paper.jar') },
      folder,
      onAccepted: () => told.push('accepted'),
      onInstalled: () => told.push('installed'),
      settleMs: 10,
    },
  );
}

describe('the installation of server software in a template', () => {
  it('reports the accepted EULA and the installed software after their files were written', async () => {
    expect(await install()).toBe('r0');
    expect(told).toEqual(['written', 'accepted', 'installed']);
    expect(await readFile(join(folder, 'lobby', 'eula.txt'), 'utf8')).toContain('eula=true');
  });

  it('reports the accepted EULA and the software even if the template folder keeps changing', async () => {
    settles = false;
    await expect(install()).rejects.toMatchObject({ code: 'TEMPLATE_UNREADABLE' });
    expect(told).toEqual(['written', 'accepted', 'installed']);
  });

  it('reports the accepted EULA if eula.txt was written, even if another file could not be written', async () => {
    broken = 'eula.txt';
    await expect(install()).rejects.toThrow('the disk is full');
    expect(told).toEqual([]);
    broken = 'after all';
    await expect(install()).rejects.toThrow('the disk is full');
    expect(told).toEqual(['accepted']);
  });

  it('does not report the EULA as accepted if it was accepted before', async () => {
    await writeFile(join(folder, 'lobby', 'eula.txt'), eulaText(acceptance));
    await install();
    expect(told).toEqual(['written', 'installed']);
  });

  it.each(['# mine\r\neula = TRUE\r\n', 'eula:true'])(
    'treats the eula.txt %j as an accepted EULA',
    async (text) => {
      await writeFile(join(folder, 'lobby', 'eula.txt'), text);
      await install();
      expect(told).toEqual(['written', 'installed']);
    },
  );

  it.each([
    ['a million empty lines', '\n'.repeat(1_000_000)],
    ['many spaces', ' '.repeat(60_000)],
    ['the word "eula" and many spaces', `eula${' '.repeat(60_000)}`],
  ])('is fast even if eula.txt contains %s', async (_, text) => {
    await writeFile(join(folder, 'lobby', 'eula.txt'), text);
    const since = performance.now();
    await install();
    expect(performance.now() - since).toBeLessThan(5_000);
    expect(told).toEqual(['written', 'accepted', 'installed']);
  });

  it('does not treat a symbolic link named eula.txt as an accepted EULA', async () => {
    await writeFile(join(folder, 'elsewhere.txt'), 'eula=true');
    await symlink(join(folder, 'elsewhere.txt'), join(folder, 'lobby', 'eula.txt'));
    broken = 'eula.txt';
    await expect(install()).rejects.toThrow('the disk is full');
    expect(told).toEqual([]);
  });
});
