import { open, rm, type FileHandle } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { Command } from 'commander';
import { diskCode } from '#master/templates/disk-problem.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { MAX_PIECE_BYTES } from '#shared/model/service-files.ts';
import { withMaster, type MasterClient } from '../../../client.ts';
import { dataOption, type CliContext, type CommonOptions } from '../../../context.ts';
import { printable } from '../../../table.ts';

interface GetOptions extends CommonOptions {
  readonly output?: string;
}

/** Defines `overworld-master service files get <id> <path> [-o <file>]`. */
export function filesGetCommand(context: CliContext): Command {
  return new Command('get')
    .description('copy one file of a service to this computer')
    .argument('<id>', 'the service, such as lobby-3')
    .argument('<path>', "path in the service's folder, such as logs/latest.log")
    .option(
      '-o, --output <file>',
      'the copy, which must not exist (default: the same name, in the current folder)',
    )
    .addOption(dataOption())
    .action(async (id: string, path: string, { data, output }: GetOptions) => {
      const target = resolve(output ?? basename(path));
      const out = await open(target, 'wx', 0o600).catch((error: unknown) => {
        throw toFileProblem(error, target);
      });
      try {
        const bytes = await withMaster(data, (master) => receive(master, { id, path }, out));
        context.out(printable(`${path} of ${id} is copied to ${target} (${bytes} bytes).`));
      } catch (error) {
        await rm(target, { force: true });
        throw error;
      } finally {
        await out.close();
      }
    });
}

function toFileProblem(error: unknown, path: string): unknown {
  const code = diskCode(error);
  if (code === 'EEXIST') return new OverworldError('FILE_EXISTS', { path }, error);
  return code === 'ENOENT' ? new OverworldError('FILE_NOT_FOUND', { path }, error) : error;
}

/** Writes a file of a service to an open file, part by part. @returns the number of bytes */
async function receive(
  master: MasterClient,
  { id, path }: { readonly id: string; readonly path: string },
  out: FileHandle,
): Promise<number> {
  for (let from = 0; ;) {
    const { base64 } = await master.call('services.readFile', { id, path, from, length: MAX_PIECE_BYTES });
    const piece = Buffer.from(base64, 'base64');
    if (piece.length === 0) return from;
    await out.writeFile(piece);
    from += piece.length;
  }
}
