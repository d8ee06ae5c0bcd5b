import { Command } from 'commander';
import type { ServiceFile, ServiceFiles } from '#shared/model/service-files.ts';
import { withMaster, type MasterClient } from '../../../client.ts';
import { dataOption, jsonOption, printJson, type CliContext, type CommonOptions } from '../../../context.ts';
import { formatTable, formatTime } from '../../../table.ts';
import { filesKeepCommand, filesToTemplateCommand } from './copy-files.ts';
import { filesGetCommand } from './get-file.ts';

/** Defines `overworld-master service files list|get|keep|to-template`. */
export function serviceFilesCommand(context: CliContext): Command {
  const command = new Command('files').description(
    'list and copy what a running service has written, before it is deleted with the service',
  );
  const children = [
    filesListCommand(context),
    filesGetCommand(context),
    filesKeepCommand(context),
    filesToTemplateCommand(context),
  ];
  for (const child of children) command.addCommand(child);
  return command;
}

function filesListCommand(context: CliContext): Command {
  return new Command('list')
    .description('list a folder of a service')
    .argument('<id>', 'the service, such as lobby-3')
    .argument('[folder]', "folder in the service's folder, such as world/region", '')
    .addOption(dataOption())
    .addOption(jsonOption('array of {name, kind, bytes, changedAt}'))
    .action(async (id: string, folder: string, { data, json }: CommonOptions) => {
      const entries = await withMaster(data, (master) => listFolder(master, id, folder));
      if (json === true) printJson(context, entries);
      else context.out(formatTable(['NAME', 'BYTES', 'CHANGED'], entries.map(toRow)));
    });
}

function toRow({ name, kind, bytes, changedAt }: ServiceFile): readonly (string | number)[] {
  const mark = { file: '', folder: '/', other: ' (link or special file)' }[kind];
  return [`${name}${mark}`, bytes, formatTime(changedAt)];
}

/** Returns all entries of a folder. Throws what `services.listFiles` throws. */
async function listFolder(master: MasterClient, id: string, folder: string): Promise<readonly ServiceFile[]> {
  const all: ServiceFile[] = [];
  for (let after: string | null = null; ;) {
    const { entries, more }: ServiceFiles = await master.call('services.listFiles', { id, folder, after });
    all.push(...entries);
    after = entries.at(-1)?.name ?? null;
    if (!more || after === null) return all;
  }
}
