import { fstatSync } from 'node:fs';
import type { OpenFile } from '../handles.ts';
import { system } from '../jail/system-calls.ts';
import { toBytes } from '../protocol/virtual-path.ts';

/**
 * Removes an open file if the reserve of the disk or a quota has refused a part of its content. Removes only a file
 * that was created or truncated when it was opened. If another file has taken the name of the open file in the
 * meantime, that file stays.
 *
 * @returns whether the file was removed
 */
export async function removeIfCutOff({
  area,
  file,
  path,
  isNew,
  growing,
  guard,
}: OpenFile): Promise<boolean> {
  if (!isNew || !growing.cutOff) return false;
  try {
    return await guard(async () => {
      const entry = await area.entry(path);
      try {
        const name = toBytes(entry.path);
        const [own, there] = [fstatSync(file), await system.lstat(name)];
        if (own.dev !== there.dev || own.ino !== there.ino) return false;
        await system.remove(name);
        return true;
      } finally {
        entry.close();
      }
    });
  } catch {
    // For example, another request has already renamed or removed the file. The client has received the error of its
    // write.
    return false;
  }
}
