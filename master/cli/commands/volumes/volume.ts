import { Command, Option } from 'commander';
import { durationWords } from '#shared/text/duration.ts';
import { serviceOfVolume } from '#shared/model/volume.ts';
import { withMaster } from '../../client.ts';
import { dataOption, jsonOption, printJson, type CliContext, type CommonOptions } from '../../context.ts';
import { printable } from '../../table.ts';
import { exportCommand, importCommand } from './volume-files.ts';
import { savesTable, volumesTable } from './volume-tables.ts';

export const VOLUME = 'the volume, such as survival/1';

/** Defines `overworld-master volume list|saves|save|restore|clone|export|import|delete|attach`. */
export function volumeCommand(context: CliContext): Command {
  const command = new Command('volume').description(
    'list and restore what services of templates with persistent paths keep, such as worlds',
  );
  for (const child of [
    list(context),
    saves(context),
    save(context),
    restore(context),
    clone(context),
    exportCommand(context),
    importCommand(context),
    remove(context),
    attach(context),
  ])
    command.addCommand(child);
  return command;
}

function list(context: CliContext): Command {
  return new Command('list')
    .description('list all volumes, their sizes, and how old their last saves are')
    .addOption(dataOption())
    .addOption(jsonOption('array of volumes'))
    .action(async ({ data, json }: CommonOptions) => {
      const volumes = await withMaster(data, (master) => master.call('volumes.list', {}));
      if (json === true) {
        printJson(context, volumes);
        return;
      }
      context.out(volumesTable(volumes, Date.now()));
      for (const { id, problem, warning } of volumes)
        for (const text of [problem, warning]) if (text !== null) context.out(printable(`\n${id}: ${text}`));
    });
}

function saves(context: CliContext): Command {
  return new Command('saves')
    .description('list the saves of a volume, newest first; the next service starts from the newest save')
    .argument('<volume>', VOLUME)
    .addOption(dataOption())
    .addOption(jsonOption('array of saves'))
    .action(async (id: string, { data, json }: CommonOptions) => {
      const stored = await withMaster(data, (master) => master.call('volumes.saves', { id }));
      if (json === true) printJson(context, stored);
      else context.out(savesTable(stored));
    });
}

function save(context: CliContext): Command {
  return new Command('save')
    .description('save the volume of a running service now; returns when the save is on the disk')
    .argument('<volume>', VOLUME)
    .addOption(dataOption())
    .addOption(jsonOption('the save'))
    .action(async (id: string, { data, json }: CommonOptions) => {
      const made = await withMaster(data, (master) => master.call('volumes.save', { id }));
      if (json === true) printJson(context, made);
      else context.out(printable(`${id} was saved as ${made.save}.`));
    });
}

function restore(context: CliContext): Command {
  return new Command('restore')
    .description('let the next service start from an earlier save; refused while a service uses the volume')
    .argument('<volume>', VOLUME)
    .argument('<save>', 'the save, as `volume saves` shows it')
    .addOption(dataOption())
    .action(async (id: string, saveId: string, { data }: CommonOptions) => {
      await withMaster(data, (master) => master.call('volumes.restore', { id, save: saveId }));
      context.out(printable(`The next start of ${serviceOfVolume(id)} uses save ${saveId}.`));
    });
}

function clone(context: CliContext): Command {
  return new Command('clone')
    .description(
      'create a volume from a save of another volume; the new volume takes no space until it changes',
    )
    .argument('<from>', VOLUME)
    .argument('<to>', 'the new volume, such as survival/2')
    .addOption(dataOption())
    .option('--save <save>', 'the save (default: the newest)')
    .action(async (from: string, to: string, options: CommonOptions & { readonly save?: string }) => {
      const request = { from, to, ...(options.save === undefined ? {} : { save: options.save }) };
      await withMaster(options.data, (master) => master.call('volumes.clone', request));
      context.out(printable(`Volume ${to} was created from ${from}.`));
    });
}

function remove(context: CliContext): Command {
  return new Command('delete')
    .description('delete a volume with all its saves; refused while a service uses it')
    .argument('<volume>', VOLUME)
    .addOption(dataOption())
    .action(async (id: string, { data }: CommonOptions) => {
      await withMaster(data, (master) => master.call('volumes.delete', { id }));
      context.out(printable(`Volume ${id} was deleted with all its saves.`));
    });
}

function attach(context: CliContext): Command {
  return new Command('attach')
    .description(
      'let a service start from its last save, and give up newer data on its node. Possible if the node cannot be reached, or if the service has exited and its data cannot be saved',
    )
    .argument('<volume>', VOLUME)
    .addOption(dataOption())
    .addOption(
      new Option('--accept-loss', 'accept that everything since the last save is lost').makeOptionMandatory(),
    )
    .addOption(jsonOption('{lostMs}: maximum time whose data is lost (ms); null if nothing is lost'))
    .action(async (id: string, { data, json }: CommonOptions) => {
      const { lostMs } = await withMaster(data, (master) =>
        master.call('volumes.attach', { id, acceptLoss: true }),
      );
      if (json === true) printJson(context, { lostMs });
      else context.out(printable(lossSentence(id, lostMs)));
    });
}

function lossSentence(id: string, lostMs: number | null): string {
  const service = serviceOfVolume(id);
  if (lostMs === null) return `${id} is free, and nothing is lost: ${service} starts from the newest save.`;
  return `${service} starts from its last save. What was written since then is lost: up to ${durationWords(lostMs)}.`;
}
