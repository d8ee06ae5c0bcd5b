import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiskReserve } from '#master/store/disk-reserve.ts';
import { syncFolder } from '#master/store/write-durably.ts';
import { copyNewFile, flushFile } from './copy-file.ts';
import type { NewFile } from './template-files.ts';

/**
 * Writes a file into a folder and flushes it to the disk. The file must not exist.
 *
 * @throws DiskReserveReached if the file would use reserved space; errno errors
 */
export async function writeNewFile(file: NewFile, folder: string, reserve: DiskReserve): Promise<void> {
  const path = join(folder, file.name);
  if ('text' in file) {
    await reserve.use(Buffer.byteLength(file.text), () =>
      writeFile(path, file.text, { mode: 0o600, flag: 'wx' }),
    );
  } else {
    const { size } = await stat(file.copyOf);
    await reserve.use(size, () => copyNewFile(file.copyOf, path, 0o600));
  }
  await flushFile(path);
}

/** Prefix of the name of a file that is still being written. Such a file is not content (upload-names.ts). */
const COMING = '.overworld-new-';

/**
 * Writes files into a folder, and replaces existing files of the same names. No file is replaced before all new files
 * are complete on the disk.
 *
 * @throws DiskReserveReached, errno errors
 */
export async function replaceFiles(
  files: readonly NewFile[],
  folder: string,
  reserve: DiskReserve,
): Promise<void> {
  const coming = ({ name }: NewFile): string => join(folder, `${COMING}${name}`);
  try {
    for (const file of files) {
      await rm(coming(file), { force: true });
      await writeNewFile({ ...file, name: `${COMING}${file.name}` }, folder, reserve);
    }
    for (const file of files) await rename(coming(file), join(folder, file.name));
    await syncFolder(folder);
  } catch (error) {
    for (const file of files) await rm(coming(file), { force: true });
    throw error;
  }
}
