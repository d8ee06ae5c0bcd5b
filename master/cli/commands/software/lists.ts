import { Argument, Command } from 'commander';
import { softwareName, type SoftwareId } from '#shared/model/software.ts';
import { withMaster } from '../../client.ts';
import { dataOption, jsonOption, printJson, type CliContext, type CommonOptions } from '../../context.ts';
import { formatTable, formatTime, inMb } from '../../table.ts';
import { parseVersion, softwareArgument } from './arguments.ts';

/** Defines `overworld-master software list`. */
export function softwareListCommand(context: CliContext): Command {
  return new Command('list')
    .description('list the software that the master has downloaded')
    .addOption(dataOption())
    .addOption(jsonOption('array of builds'))
    .action(async ({ data, json }: CommonOptions) => {
      const builds = await withMaster(data, (master) => master.call('software.list', {}));
      if (json === true) {
        printJson(context, builds);
        return;
      }
      if (builds.length === 0) {
        context.out('The master has not downloaded any software.');
        return;
      }
      context.out(
        formatTable(
          ['SOFTWARE', 'SIZE', 'DOWNLOADED', 'VERIFIED BY'],
          builds.map((build) => [
            softwareName(build),
            inMb(build.bytes),
            formatTime(build.at),
            build.verified ?? 'its publisher states no hash',
          ]),
        ),
      );
    });
}

/** Defines `overworld-master software versions`. */
export function softwareVersionsCommand(context: CliContext): Command {
  return new Command('versions')
    .description('ask the publisher for the versions of some software, newest first')
    .addArgument(softwareArgument())
    .addOption(dataOption())
    .addOption(jsonOption('array of versions'))
    .action(async (software: SoftwareId, { data, json }: CommonOptions) => {
      const versions = await withMaster(data, (master) => master.call('software.versions', { software }));
      if (json === true) printJson(context, versions);
      else {
        context.out(
          formatTable(
            ['VERSION', 'STABLE'],
            versions.map(({ version, stable }) => [version, stable ? 'yes' : 'no']),
          ),
        );
      }
    });
}

/** Defines `overworld-master software builds`. */
export function softwareBuildsCommand(context: CliContext): Command {
  return new Command('builds')
    .description('ask the publisher for the builds of a version, newest first')
    .addArgument(softwareArgument())
    .addArgument(
      new Argument('<version>', 'version, as `software versions` shows it').argParser(parseVersion),
    )
    .addOption(dataOption())
    .addOption(jsonOption('array of builds'))
    .action(async (software: SoftwareId, version: string, { data, json }: CommonOptions) => {
      const builds = await withMaster(data, (master) =>
        master.call('software.builds', { software, version }),
      );
      if (json === true) printJson(context, builds);
      else {
        context.out(
          formatTable(
            ['BUILD', 'STABLE', 'PUBLISHED'],
            builds.map(({ build, stable, at }) => [
              build ?? 'the only one',
              stable ? 'yes' : 'no',
              at === null ? '' : formatTime(at),
            ]),
          ),
        );
      }
    });
}
