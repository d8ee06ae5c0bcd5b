import type { Params, Result } from '#shared/rpc/contract.ts';
import { saveText } from './text-file.ts';

/** Number of entries per request, which is the master's maximum. */
const PAGE = 2_000;

type List = (params: Params<'security.list'>) => Promise<Result<'security.list'>>;

/**
 * Saves all entries of the security log to a file, oldest first, one JSON document per line, as `overworld-master
 * audit export` prints them.
 *
 * @returns number of entries written
 * @throws OverworldError DISK_FULL, LOCAL_FILE_UNREADABLE, NOT_CONNECTED
 */
export async function saveSecurityLog(path: string, list: List): Promise<number> {
  const written = { entries: 0 };
  async function* texts(): AsyncGenerator<string> {
    for (let from: number | null = 0; from !== null;) {
      const { entries, next }: Result<'security.list'> = await list({ order: 'oldest', from, limit: PAGE });
      written.entries += entries.length;
      yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
      from = next;
    }
  }
  await saveText(path, texts());
  return written.entries;
}
