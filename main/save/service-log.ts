import { stripAnsi } from '#shared/text/ansi.ts';
import type { Params, Result } from '#shared/rpc/contract.ts';
import { saveText } from './text-file.ts';

/** Number of lines per request. */
const PAGE_LINES = 5000;

type ReadLog = (params: Params<'services.readLog'>) => Promise<Result<'services.readLog'>>;

/**
 * Saves all stored lines of a service's console as plain text without colours. Does not include lines that the
 * service writes after the end of the log was read.
 *
 * @returns number of lines written
 * @throws OverworldError SERVICE_NOT_FOUND, DISK_FULL, LOCAL_FILE_UNREADABLE, NOT_CONNECTED
 */
export async function saveServiceLog(service: string, path: string, read: ReadLog): Promise<number> {
  const written = { lines: 0 };
  async function* texts(): AsyncGenerator<string> {
    for (let from: number | null = 0; from !== null;) {
      const page: Result<'services.readLog'> = await read({ id: service, from, limit: PAGE_LINES });
      written.lines += page.lines.length;
      yield page.lines.map(({ text }) => `${stripAnsi(text)}\n`).join('');
      from = page.next;
    }
  }
  await saveText(path, texts());
  return written.lines;
}
