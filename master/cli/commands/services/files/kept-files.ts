import { OverworldError } from '#shared/errors/overworld-error.ts';
import { withMaster } from '../../../client.ts';
import { printJson, type CliContext, type CommonOptions } from '../../../context.ts';
import { formatSeconds, formatTable, printable } from '../../../table.ts';

interface KeptOptions extends CommonOptions {
  /** Path of the kept file to print. Without it, all kept files are listed. */
  readonly file?: string;
}

/** Lists the files that were kept when a service ended, or prints one of these files. Throws FILE_NOT_FOUND. */
export async function showKept(
  id: string,
  { data, json, file: path }: KeptOptions,
  context: CliContext,
): Promise<void> {
  await withMaster(data, async (master) => {
    const runs = await master.call('services.keptFiles', { id });
    if (path === undefined) {
      if (json === true) printJson(context, runs);
      else if (runs.length === 0) context.out(printable(`Nothing is kept of ${id}.`));
      else {
        const rows = runs.flatMap(({ endedAt, files }) =>
          files.map((file) => [formatSeconds(endedAt), file.path, file.bytes]),
        );
        context.out(formatTable(['ENDED (UTC)', 'FILE', 'BYTES'], rows));
      }
      return;
    }
    const run = runs.find(({ files }) => files.some((file) => file.path === path));
    if (run === undefined) throw new OverworldError('FILE_NOT_FOUND', { path: `${id}/${path}` });
    const kept = await master.call('services.readKeptFile', { id, endedAt: run.endedAt, path });
    if (json === true) printJson(context, kept);
    else for (const line of kept.text.replace(/\n$/, '').split(/\r?\n/)) context.out(printable(line));
  });
}
