import { execFile } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compiledFolder } from '#main/start/compiled-folder.ts';
import { runCompiled } from '#main/start/compiled.ts';
import { heapGrowthFlag, DEFAULT_HEAP_GROWTH_FLAG } from '#shared/heap-growth.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'overworld-compiled-'));
  mkdirSync(join(folder, 'main'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = (): string => join(folder, 'main', 'index.cjs');
const kept = (): string => join(folder, 'data', 'compiled', 'main.bin');
const run = () => runCompiled(file(), join(folder, 'data', 'compiled'));

/**
 * Writes a program that stores `word` in a file next to the program. The program does so in a function that V8
 * compiles only when the function runs.
 */
function writeProgram(word: string, firstLine = ''): void {
  writeFileSync(
    file(),
    `${firstLine}const { writeFileSync } = require('node:fs');\nfunction say() { writeFileSync(__dirname + '/said', '${word}'); }\nsay();\n`,
  );
}

/**
 * Starts the program in a separate process, and then stores the code cache. Sets the V8 flags `before` before the
 * program starts, and the V8 flags `after` before the code cache is stored.
 *
 * @returns `made` or `kept`
 */
async function startWith(flags: {
  readonly before: readonly string[];
  readonly after: readonly string[];
}): Promise<string> {
  const module = new URL('../../../../main/start/compiled.ts', import.meta.url).href;
  const script = `
    import { setFlagsFromString } from 'node:v8';
    import { runCompiled } from ${JSON.stringify(module)};
    for (const flag of ${JSON.stringify(flags.before)}) setFlagsFromString(flag);
    const program = runCompiled(${JSON.stringify(file())}, ${JSON.stringify(join(folder, 'data', 'compiled'))});
    for (const flag of ${JSON.stringify(flags.after)}) setFlagsFromString(flag);
    program.keep();
    console.log(program.compiled);`;
  const args = ['--no-warnings', '--import', 'tsx', '--input-type=module', '--eval', script];
  return (await promisify(execFile)(process.execPath, args)).stdout.trim();
}

const said = (): string => readFileSync(join(folder, 'main', 'said'), 'utf8');

describe('a program that starts from the V8 code cache', () => {
  it('is compiled at its first start, but not at its second', () => {
    writeProgram('one');
    const first = run();
    expect(first.compiled).toBe('made');
    expect(said()).toBe('one');
    first.keep();
    rmSync(join(folder, 'main', 'said'));
    expect(run().compiled).toBe('kept');
    expect(said()).toBe('one');
  });

  it('is compiled again after its text has changed, even if the text has the same length', () => {
    writeProgram('one');
    run().keep();
    writeProgram('two');
    expect(run().compiled).toBe('made');
    expect(said()).toBe('two');
  });

  it.each([
    ['truncated', (data: Buffer) => data.subarray(0, data.length >> 1)],
    ['changed in one byte', (data: Buffer) => data.fill(data.readUInt8(200) ^ 1, 200, 201)],
    ['empty', () => Buffer.alloc(0)],
  ])('is compiled again if the cache file is %s', (_how, damage) => {
    writeProgram('one');
    run().keep();
    writeFileSync(kept(), damage(readFileSync(kept())));
    const next = run();
    expect(next.compiled).toBe('made');
    expect(said()).toBe('one');
    next.keep();
    expect(run().compiled).toBe('kept');
  });

  // Start the program in separate processes, because V8 also caches compiled code within a process.
  it('uses the cache if it is started with the same V8 flags, even if it changes flags while it runs', async () => {
    writeFileSync(file(), `require('node:v8').setFlagsFromString('${heapGrowthFlag(0)}');\n`);
    const asInLife = { before: [], after: [DEFAULT_HEAP_GROWTH_FLAG] };
    expect(await startWith(asInLife)).toBe('made');
    expect(await startWith(asInLife)).toBe('kept');
    expect(await startWith({ before: [heapGrowthFlag(0)], after: [] })).toBe('made');
    expect(await startWith(asInLife)).toBe('made');
    expect(await startWith({ before: [], after: [] })).toBe('kept');
    // The previous start stored the code cache under the flags that the program had set, so this start cannot use it.
    expect(await startWith(asInLife)).toBe('made');
  }, 60_000);

  it('may begin with a shebang line, and its errors contain the correct line numbers', () => {
    writeFileSync(file(), `#!/usr/bin/env node\nthrow new Error('on line two');\n`);
    let stack = '';
    try {
      run();
    } catch (error) {
      stack = (error as Error).stack ?? '';
    }
    expect(stack).toContain('on line two');
    expect(stack).toContain(`${file()}:2:`);
  });

  it('can import modules while it runs', async () => {
    writeFileSync(
      file(),
      `import('node:path').then(({ sep }) => require('node:fs').writeFileSync(__dirname + '/said', sep), (error) => require('node:fs').writeFileSync(__dirname + '/said', String(error)));\n`,
    );
    run();
    await expect.poll(() => said()).toBe('/');
  });

  it.skipIf(process.platform === 'win32')(
    'is compiled again if another user may have written the cache file',
    () => {
      const cache = join(folder, 'data', 'compiled');
      for (const loosen of [
        () => chmodSync(kept(), 0o620),
        () => chmodSync(cache, 0o777),
        () => {
          renameSync(kept(), `${kept()}.moved`);
          symlinkSync(`${kept()}.moved`, kept());
        },
      ]) {
        writeProgram('one');
        run().keep();
        expect(run().compiled).toBe('kept');
        loosen();
        expect(run().compiled).toBe('made');
        rmSync(join(folder, 'data'), { recursive: true });
      }
    },
  );

  it('uses no cache on systems where Electron verifies the packaged app', () => {
    expect(compiledFolder('/data', true, 'linux')).toBe(join('/data', 'compiled'));
    expect([compiledFolder('/data', true, 'darwin'), compiledFolder('/data', true, 'win32')]).toEqual([
      '',
      '',
    ]);
    expect(compiledFolder('/data', false, 'darwin')).toBe(join('/data', 'compiled'));
    writeProgram('one');
    expect(runCompiled(file(), '').compiled).toBe('made');
  });

  it.skipIf(process.platform === 'win32')('writes a cache file that only the current user can change', () => {
    writeProgram('one');
    run().keep();
    expect(statSync(kept()).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'data', 'compiled')).mode & 0o777).toBe(0o700);
  });
});
