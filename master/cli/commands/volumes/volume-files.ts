import { chown, mkdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { currentSave, volumeIdSchema } from '#shared/model/volume.ts';
import { dataFolderAt } from '#master/store/data-folder.ts';
import {
  importUserFile,
  newImportName,
  removeLeftImports,
  useImportFolder,
} from '#master/store/import-folders.ts';
import { withMaster } from '../../client.ts';
import { dataOption, type CliContext, type CommonOptions } from '../../context.ts';
import { removeTree } from '../../machine/remove-tree.ts';
import { mustRun } from '../../machine/run-program.ts';
import { printable } from '../../table.ts';
import { untilSignal } from '../../machine/until-signal.ts';
import { packSave } from './pack-save.ts';
import { saveChanges } from './save-changes.ts';

/** Maximum time to unpack a large world (ms). */
const TAR_TIMEOUT_MS = 3_600_000;

/** Defines `overworld-master volume export <volume> <file> [--save <save>]`. */
export function exportCommand(context: CliContext): Command {
  return new Command('export')
    .description('write a save into a tar file, compressed according to its name (.tar, .tar.gz, .tar.zst)')
    .argument('<volume>', 'the volume, such as survival/1')
    .argument('<file>', 'the archive, which replaces an existing file of this name once it is complete')
    .addOption(dataOption())
    .option('--save <save>', 'the save (default: the newest)')
    .action(async (id: string, file: string, options: CommonOptions & { readonly save?: string }) => {
      // The master refuses an invalid id.
      const volume = volumeIdSchema.safeParse(id);
      if (options.save === undefined && volume.success) await saveChanges(options.data, volume.data);
      const saves = await withMaster(options.data, (master) => master.call('volumes.saves', { id }));
      const save = options.save ?? currentSave(saves)?.save ?? 'newest';
      if (!saves.some((one) => one.save === save))
        throw new OverworldError('SAVE_NOT_FOUND', { volume: id, save });
      const folder = join(dataFolderAt(options.data).volumes, volumeIdSchema.parse(id), 'saves');
      await untilSignal((signal) => packSave({ volume: id, folder, save }, resolve(file), signal));
      context.out(printable(`Save ${save} of ${id} was written to ${file}.`));
    });
}

/** Defines `overworld-master volume import <volume> <file>`. */
export function importCommand(context: CliContext): Command {
  return new Command('import')
    .description(
      'make the content of a tar file the newest save of a volume. Creates the volume if it does not exist. Refused while a service uses the volume',
    )
    .argument('<volume>', 'the volume, such as survival/1')
    .argument(
      '<file>',
      'the file; its paths are relative to the folder of the service, such as world/level.dat',
    )
    .addOption(dataOption())
    .action(async (id: string, file: string, { data }: CommonOptions) => {
      const { volumes } = dataFolderAt(data);
      await removeLeftImports(volumes, removeTree);
      const name = newImportName();
      const folder = join(volumes, name);
      await useImportFolder(volumes, name);
      try {
        await mkdir(folder, { mode: 0o700 });
        const unpacked = ['--no-same-owner', '--no-same-permissions', '-C', folder, '-xf', resolve(file)];
        await mustRun('tar', unpacked, { timeoutMs: TAR_TIMEOUT_MS });
        await giveToMaster(folder, data);
        const save = await withMaster(data, (master) => master.call('volumes.import', { id, folder: name }));
        context.out(printable(`The next start of the service of ${id} uses the imported save ${save.save}.`));
      } finally {
        await removeTree(folder);
        await removeTree(importUserFile(volumes, name));
      }
    });
}

/** Changes the owner of unpacked files to the master's user if root has unpacked them. */
async function giveToMaster(folder: string, data: string): Promise<void> {
  const { uid, gid } = await stat(data);
  if (process.getuid?.() !== 0 || uid === 0) return;
  await chown(folder, uid, gid);
  await mustRun('chown', ['-R', '-h', `${uid}:${gid}`, '--', folder], { timeoutMs: TAR_TIMEOUT_MS });
}
