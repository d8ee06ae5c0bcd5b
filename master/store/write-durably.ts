import { lstat, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import writeFileAtomic from 'write-file-atomic';

/**
 * Replaces a file atomically and durably: after a crash or power failure, the file has either its complete old
 * content or its complete new content. Creates the folder if it is missing. Uses a temporary file, fsync and rename
 * (write-file-atomic). Then flushes the folder, because otherwise the rename could be lost. Does not write through a
 * symbolic link, because an attacker may have placed it to have another file replaced.
 *
 * @param mode permission bits of the new file; default 0600, because configuration and state may contain secrets
 * @throws errno errors, such as ENOSPC; ELOOP if the path is a symbolic link, which is not changed
 */
export async function writeDurably(path: string, content: string, mode = 0o600): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // write-file-atomic would replace the target of the link.
  const found = await lstat(path).catch(() => null);
  if (found?.isSymbolicLink() === true) {
    const message = `${path} is a symbolic link. Replace it with the file itself`;
    throw Object.assign(new Error(message), { code: 'ELOOP' });
  }
  await writeFileAtomic(path, content, { mode, fsync: true });
  await syncFolder(dirname(path));
}

/**
 * Ensures that renames and removals in a folder survive a power failure. Does nothing on Windows, which cannot open
 * folders and does not need it.
 *
 * @throws errno errors
 */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
