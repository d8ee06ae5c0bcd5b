import { link, lstat, rename, unlink } from 'node:fs/promises';
import { failure } from '../protocol/refusal.ts';
import { toBytes, type ByteString } from '../protocol/virtual-path.ts';

/** A name in a pinned folder. */
interface Place {
  readonly path: ByteString;
}

/** Error codes of file systems that do not support hard links. */
const NO_HARD_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV']);

/**
 * Moves a file or folder without replacing an existing target. A file first gets a second hard link at the target,
 * and then loses the first link. Creating the second link fails if the target exists. Folders cannot have hard links,
 * so the target of a folder is checked before the rename.
 *
 * @throws EEXIST or Refusal if the target exists; other errno errors
 */
export async function moveExclusive(from: Place, to: Place): Promise<void> {
  const [source, target] = [toBytes(from.path), toBytes(to.path)];
  if ((await lstat(source)).isFile()) {
    try {
      await link(source, target);
      await unlink(source);
      return;
    } catch (error) {
      if (!NO_HARD_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
  const exists = await lstat(target).then(
    () => true,
    () => false,
  );
  if (exists) throw failure('It already exists');
  await rename(source, target);
}
