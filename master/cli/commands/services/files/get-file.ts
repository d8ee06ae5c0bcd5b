import { open, rm, type FileHandle } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { Command } from 'commander';
import { MAX_PIECE_BYTES } from '#shared/model/service-files.ts';
import { withMaster, type MasterClient } from '../../../client.ts';
import { dataOption, type CliContext, type CommonOptions } from '../../../context.ts';
import { interruptedTransfer, localFileProblem } from '../../../machine/local-file-problem.ts';
import { printable } from '../../../table.ts';
import { orInterrupted, untilSignal } from '../../../machine/until-signal.ts';

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
      const bytes = await untilSignal((signal) =>
        createFile(target, signal, (out) =>
          withMaster(data, (master) => orInterrupted(receive(master, { id, path }, out), signal)),
        ),
      );
      context.out(printable(`${path} of ${id} is copied to ${target} (${bytes} bytes).`));
    });
}

/**
 * Creates a file, and lets `write` fill it. Removes the file if `write` fails, or is interrupted by the signal.
 *
 * @throws OverworldError FILE_EXISTS; LOCAL_FILE_UNREADABLE; DISK_FULL; TRANSFER_FAILED if it was interrupted;
 *   whatever `write` throws
 */
async function createFile<T>(
  path: string,
  signal: AbortSignal,
  write: (out: FileHandle) => Promise<T>,
): Promise<T> {
  const out = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw localFileProblem(error, path);
  });
  try {
    return await write(out);
  } catch (error) {
    await rm(path, { force: true });
    throw signal.aborted ? interruptedTransfer(path) : localFileProblem(error, path);
  } finally {
    await out.close();
  }
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
