import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Linter } from 'eslint';
import { expect, it } from 'vitest';
import { NODE_NEEDED } from '#shared/version.ts';
import { masterProgram } from '#test/support/master/master-process.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built program on this Node.js, which pretends to be another version. */
async function runAs(version: string, ...args: readonly string[]): Promise<Ended> {
  const pretend = join(temporaryFolder(), 'pretend.cjs');
  writeFileSync(pretend, `Object.defineProperty(process.versions, 'node', { value: '${version}' });`);
  const program = await masterProgram();
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ['-r', pretend, program, ...args]);
    return { code: 0, stdout, stderr };
  } catch (error) {
    return error as Ended;
  }
}

it.each(['18.19.0', '20.18.9', '8.0.0'])(
  'under Node.js %s, the master exits with one sentence that names this version and the required version',
  async (version) => {
    for (const command of ['run', 'status', 'doctor', 'init']) {
      expect(await runAs(version, command)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: `Overworld needs Node.js ${NODE_NEEDED} or newer, but ${process.execPath} is version ${version}: install a newer Node.js and start the master with it.\n`,
      });
    }
  },
);

it.each([`${NODE_NEEDED}.0`, '22.0.0', '100.1.2'])(
  'under Node.js %s, the master can start',
  async (version) => {
    expect(await runAs(version, '--version')).toMatchObject({ code: 0, stderr: '' });
  },
);

it('the entry file of the master uses only ES5, and requires the same Node.js version as package.json', async () => {
  const program = await masterProgram();
  const text = readFileSync(program, 'utf8');
  expect(text).toMatch(/^#!\/usr\/bin\/env node\n/);
  const old = { languageOptions: { ecmaVersion: 5, sourceType: 'script' } } as const;
  expect(new Linter().verify(text, old)).toEqual([]);
  const manifest = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as {
    engines: { node: string };
  };
  expect(manifest.engines.node).toBe(`>=${NODE_NEEDED}`);
  // The rest of the program contains newer syntax, so it must not be part of the entry file.
  expect(new Linter().verify(readFileSync(join(dirname(program), 'master.js'), 'utf8'), old)).not.toEqual([]);
});
