import { randomUUID } from 'node:crypto';
import { Argument, Command } from 'commander';
import { softwareName, type SoftwareChoice, type SoftwareId } from '#shared/model/software.ts';
import { withMaster, type MasterClient } from '../../client.ts';
import { dataOption, jsonOption, printJson, type CliContext, type CommonOptions } from '../../context.ts';
import { printable } from '../../table.ts';
import { parseVersion, softwareArgument } from './arguments.ts';

interface InstallOptions extends CommonOptions {
  readonly acceptEula?: boolean;
}

/** Parsed arguments that choose a build of server software. */
type BuildArguments = [software: SoftwareId, version: string | undefined, build: string | undefined];

/** Defines the arguments that choose a build of server software. */
function buildArguments(): Argument[] {
  return [
    softwareArgument(),
    new Argument('[version]', 'version; without it, the newest stable one').argParser(parseVersion),
    new Argument('[build]', 'build; without it, the newest stable one').argParser(parseVersion),
  ];
}

/** Defines `overworld-master software download`. */
export function softwareDownloadCommand(context: CliContext): Command {
  const command = new Command('download')
    .description('download software to the master; an interrupted download is continued')
    .addOption(dataOption())
    .addOption(jsonOption('the build'));
  for (const argument of buildArguments()) command.addArgument(argument);
  return command.action(
    async (...[software, version, build, { data, json }]: [...BuildArguments, CommonOptions]) => {
      const wanted = toChoice(software, version, build);
      const choice = await withMaster(data, (master) => download(master, wanted));
      if (json === true) printJson(context, choice);
      else context.out(printable(`${softwareName(choice)} is on the master.`));
    },
  );
}

/** Defines `overworld-master software install`. */
export function softwareInstallCommand(context: CliContext): Command {
  const command = new Command('install')
    .description('download software and put it into a template, as its server.jar')
    .addArgument(new Argument('<template>', 'id of the template (the name of its folder)'))
    .addOption(dataOption())
    .addOption(jsonOption('the build, and the revision before'))
    .option(
      '--accept-eula',
      'accept the Minecraft EULA (https://aka.ms/MinecraftEULA), if the software needs it',
    );
  for (const argument of buildArguments()) command.addArgument(argument);
  return command.action(
    async (
      ...[id, software, version, build, { data, json, acceptEula }]: [
        string,
        ...BuildArguments,
        InstallOptions,
      ]
    ) => {
      const wanted = toChoice(software, version, build);
      const result = await withMaster(data, async (master) => {
        const choice = await download(master, wanted);
        const { before } = await master.call('software.install', {
          id,
          ...choice,
          eula: acceptEula === true,
        });
        return { ...choice, before };
      });
      if (json === true) printJson(context, result);
      else context.out(printable(installedWords(id, result)));
    },
  );
}

/** Defines `overworld-master software update`. */
export function softwareUpdateCommand(context: CliContext): Command {
  return new Command('update')
    .description('list templates for whose software there is a newer build; with a template, update it')
    .argument('[template]', 'id of the template (the name of its folder)')
    .addOption(dataOption())
    .addOption(jsonOption('array of updates; with a template, the build and the revision before'))
    .action(async (id: string | undefined, { data, json }: CommonOptions) => {
      await withMaster(data, async (master) => {
        const updates = await master.call('software.updates', {});
        if (id === undefined) {
          if (json === true) printJson(context, updates);
          else context.out(printable(updateWords(updates)));
          return;
        }
        const update = updates.find(({ template }) => template === id);
        if (update === undefined) {
          if (json === true) printJson(context, null);
          else context.out(printable(`There is no newer build for template ${id}.`));
          return;
        }
        const choice = await download(master, update.newest);
        // The template already has software that needs the EULA, and therefore an acceptance of the EULA.
        const { before } = await master.call('software.install', { id, ...choice, eula: false });
        if (json === true) printJson(context, { ...choice, before });
        else context.out(printable(installedWords(id, { ...choice, before })));
      });
    });
}

function toChoice(
  software: SoftwareId,
  version: string | undefined,
  build: string | undefined,
): SoftwareChoice {
  return { software, version: version ?? null, build: build ?? null };
}

function download(master: MasterClient, choice: SoftwareChoice): Promise<SoftwareChoice> {
  return master.call('software.download', { ...choice, task: randomUUID() });
}

function installedWords(
  id: string,
  { before, ...choice }: SoftwareChoice & { readonly before: string | null },
): string {
  const restart = `Its services get it at their next start: overworld-master template restart ${id} --outdated`;
  const back = before === null ? '' : ` The revision before is ${before}.`;
  return `Template ${id} has ${softwareName(choice)}. ${restart}${back}`;
}

function updateWords(
  updates: readonly { readonly template: string; readonly newest: SoftwareChoice }[],
): string {
  if (updates.length === 0) return 'There are no newer builds.';
  return updates
    .map(({ template, newest }) => `${template}: ${softwareName(newest)} is available`)
    .join('\n');
}
