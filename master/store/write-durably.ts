import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import writeFileAtomic from 'write-file-atomic';

/**
 * Replaces a file so that after a crash or power cut either the old or the new content is there, whole: temporary
 * file, fsync, rename (write-file-atomic), then fsync of the folder, without which the rename itself may be lost.
 *
 * @param mode permission bits of the new file; 0600, as configuration and state may hold secrets
 */
export async function writeDurably(path: string, content: string, mode = 0o600): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFileAtomic(path, content, { mode, fsync: true });
  await syncFolder(dirname(path));
}

/** Makes renames and removals inside a folder survive a power cut. Windows cannot open folders and needs it not. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
