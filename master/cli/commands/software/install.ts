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

function toChoice(
  software: SoftwareId,
  version: string | undefined,
  build: string | undefined,
): SoftwareChoice {
  return { software, version: version ?? null, build: build ?? null };
}

/** Downloads a build to the master. Throws what `software.download` throws. */
export function download(master: MasterClient, choice: SoftwareChoice): Promise<SoftwareChoice> {
  return master.call('software.download', { ...choice, task: randomUUID() });
}

/** Describes the software that a template has now, and how its services get it. */
export function installedWords(
  id: string,
  { before, ...choice }: SoftwareChoice & { readonly before: string | null },
): string {
  const restart = `Its services get it at their next start: overworld-master template restart ${id} --outdated`;
  const back = before === null ? '' : ` The revision before is ${before}.`;
  return `Template ${id} has ${softwareName(choice)}. ${restart}${back}`;
}
