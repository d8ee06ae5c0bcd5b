import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../../build/scripts/run.mjs';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

describe('the command npm run build', () => {
  let clone = '';

  beforeEach(() => {
    clone = temporaryFolder();
    for (const part of ['build/scripts', 'master/plugin', 'package.json', 'package-lock.json']) {
      cpSync(join(root, part), join(clone, part), { recursive: true });
    }
  });

  /** Runs the build in the clone. @returns the lines that a person sees */
  async function build(env: NodeJS.ProcessEnv = process.env): Promise<string[]> {
    const { code, output } = await run(process.execPath, ['build/scripts/build.mjs'], { cwd: clone, env });
    expect(code).toBe(1);
    return output.trim().split('\n');
  }

  it('names the missing npm packages in one sentence and builds nothing', async () => {
    expect(await build()).toEqual([
      'overworld: The npm packages are not installed; run "npm ci" and start again.',
    ]);
    expect(readdirSync(clone)).not.toContain('dist');
  });

  it('names the missing JDK in one sentence and builds nothing', async () => {
    mkdirSync(join(clone, 'node_modules'));
    writeFileSync(join(clone, 'node_modules', '.package-lock.json'), '{}');
    expect(await build({ PATH: join(clone, 'nothing') })).toEqual([
      `overworld: Overworld's plugin cannot be built, because there is no javac; install a JDK (17 or newer), on Debian with "apt-get install default-jdk-headless", and start again.`,
    ]);
    expect(readdirSync(join(clone, 'dist'), { recursive: true })).toEqual(['plugin']);
  });
});
