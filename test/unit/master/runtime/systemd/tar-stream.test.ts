import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SourceChanged, tarStream } from '#master/runtime/systemd/tar-stream.ts';
import { runToolPython } from '#test/support/nodes/tool-python.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

async function collect(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Creates files of these sizes, named by their hashes. */
function filesOf(folder: string, sizes: readonly number[]) {
  return sizes.map((size, index) => {
    const content = randomBytes(size);
    const source = join(folder, String(index));
    writeFileSync(source, content);
    return { name: createHash('sha256').update(content).digest('hex'), size, source };
  });
}

/** Returns the header of a sparse file of this size. Does not read the rest of the stream. */
async function headerOf(size: number): Promise<Buffer> {
  const source = join(temporaryFolder(), 'large');
  writeFileSync(source, '');
  truncateSync(source, size);
  for await (const chunk of tarStream([{ name: 'a'.repeat(64), size, source }]))
    return chunk.subarray(0, 512);
  throw new Error('the stream is empty');
}

describe('tarStream (creates a tar archive of files for a node)', () => {
  it('returns a valid tar archive, for any sizes of files', async () => {
    const folder = temporaryFolder();
    const sizes = [0, 1, 511, 512, 513, 65_536, 65_537, 262_144, 1_000_003];
    const files = filesOf(folder, [...sizes, ...Array.from({ length: 100 }, (_, n) => n * 37)]);
    const out = temporaryFolder();
    execFileSync('tar', ['-x', '-C', out], { input: await collect(tarStream(files)) });
    const names = new Set(files.map(({ name }) => name));
    expect(new Set(readdirSync(out))).toEqual(names);
    for (const { name, source } of files)
      expect(readFileSync(join(out, name)).equals(readFileSync(source))).toBe(true);
  });

  it('combines files from memory and from disk', async () => {
    const [file] = filesOf(temporaryFolder(), [300]);
    const held = [0, 511, 70_000, 300_000].map((size) => {
      const source = randomBytes(size);
      return { name: createHash('sha256').update(source).digest('hex'), size, source };
    });
    const out = temporaryFolder();
    const files = [...held.slice(0, 2), ...(file === undefined ? [] : [file]), ...held.slice(2)];
    execFileSync('tar', ['-x', '-C', out], { input: await collect(tarStream(files)) });
    for (const { name, source } of held) expect(readFileSync(join(out, name)).equals(source)).toBe(true);
    expect(readdirSync(out)).toHaveLength(5);
  });

  it('returns large chunks even if the files are small', async () => {
    const files = filesOf(
      temporaryFolder(),
      Array.from({ length: 2000 }, () => 100),
    );
    let pieces = 0;
    for await (const chunk of tarStream(files)) pieces += chunk.length > 0 ? 1 : 0;
    expect(pieces).toBeLessThan(10);
  });

  it.each([100, 200_000])('aborts if a file has changed its size to %i bytes', async (size) => {
    const folder = temporaryFolder();
    const files = filesOf(folder, [10, size]);
    truncateSync(join(folder, '1'), size - 1);
    await expect(collect(tarStream(files))).rejects.toBeInstanceOf(SourceChanged);
  });

  it.each([8 ** 11 - 1, 8 ** 11, 8 ** 12 - 1, 8 ** 12, 2 ** 42 + 1])(
    'writes a size of %i bytes so that tar and the node tool read it',
    async (size) => {
      const header = await headerOf(size);
      const sizes = await runToolPython(
        'import tarfile\n' +
          'from layouts import sync\n' +
          'header = bytes.fromhex(sys.argv[1])\n' +
          "print(tarfile.TarInfo.frombuf(header, 'ascii', 'strict').size, sync.size_of(header))",
        header.toString('hex'),
      );
      expect(sizes).toBe(`${size} ${size}\n`);
    },
  );

  it('does not follow a symbolic link that has replaced a file', async () => {
    const folder = temporaryFolder();
    const [file] = filesOf(folder, [10]);
    symlinkSync(join(folder, '0'), join(folder, 'link'));
    const linked = { name: 'x', size: 10, source: join(folder, 'link') };
    await expect(collect(tarStream([linked]))).rejects.toThrow(/ELOOP/);
    expect(file?.size).toBe(10);
  });
});
