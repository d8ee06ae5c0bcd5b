import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hashOf, readStamp, replaceFolder, writeStamp } from '../../../build/scripts/stamp.mjs';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

function sourceFolder(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'room', 'inner'), { recursive: true });
  writeFileSync(join(folder, 'room', 'a.ts'), 'a');
  writeFileSync(join(folder, 'room', 'inner', 'b.ts'), 'b');
  return folder;
}

describe("the digest of a build's source files", () => {
  it('is the same for the same files in a different folder', () => {
    expect(hashOf(sourceFolder(), ['room'])).toBe(hashOf(sourceFolder(), ['room']));
  });

  it.each<[string, (folder: string) => void]>([
    ['a changed file', (folder) => writeFileSync(join(folder, 'room/a.ts'), 'A')],
    ['a new file', (folder) => writeFileSync(join(folder, 'room/c.ts'), '')],
    ['a deleted file', (folder) => rmSync(join(folder, 'room/inner/b.ts'))],
    ['a renamed file', (folder) => renameSync(join(folder, 'room/a.ts'), join(folder, 'room/z.ts'))],
    [
      'content moved from one file to the next',
      (folder) => {
        writeFileSync(join(folder, 'room/a.ts'), '');
        writeFileSync(join(folder, 'room/inner/b.ts'), 'ab');
      },
    ],
  ])('changes with %s', (_name, change) => {
    const folder = sourceFolder();
    const before = hashOf(folder, ['room', 'missing']);
    change(folder);
    expect(hashOf(folder, ['room', 'missing'])).not.toBe(before);
  });

  it('changes when a missing file is added', () => {
    const folder = sourceFolder();
    const before = hashOf(folder, ['room', 'later.json']);
    writeFileSync(join(folder, 'later.json'), 'missing');
    expect(hashOf(folder, ['room', 'later.json'])).not.toBe(before);
  });
});

describe('the output folder of a build and its digest', () => {
  it('the stored digest equals the last written digest, or is null if no digest was written', () => {
    const file = join(temporaryFolder(), 'deep', 'stamp');
    expect(readStamp(file)).toBeNull();
    writeStamp(file, 'one');
    writeStamp(file, 'two');
    expect(readStamp(file)).toBe('two');
    expect(readdirSync(join(file, '..'))).toEqual(['stamp']);
  });

  it('the output folder is replaced completely, so that no old files remain', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'new'));
    writeFileSync(join(folder, 'new', 'index.js'), 'new');
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'dist', 'left-over.js'), 'old');
    replaceFolder(join(folder, 'new'), join(folder, 'dist'));
    expect(readdirSync(folder)).toEqual(['dist']);
    expect(readdirSync(join(folder, 'dist'))).toEqual(['index.js']);
    expect(readFileSync(join(folder, 'dist', 'index.js'), 'utf8')).toBe('new');
  });
});
