import { link, lstat, rename, unlink } from 'node:fs/promises';
import { failure } from './refusal.ts';
import { toBytes, type ByteString } from './virtual-path.ts';

/** A name in a folder that is held fast. */
interface Place {
  readonly path: ByteString;
}

/** File systems that know no hard links answer with one of these. */
const NO_HARD_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV']);

/**
 * Moves without ever replacing anything: a second name for the file (which fails when the target exists, in one
 * step), then the first name goes. Folders cannot have two names; for them the target is looked at before.
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
  if (exists) throw failure('It exists already');
  await rename(source, target);
}
