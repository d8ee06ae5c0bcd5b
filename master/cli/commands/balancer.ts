import { Command } from 'commander';
import { withMaster } from '../client.ts';
import { dataOption, jsonOption, printJson, type CliContext, type CommonOptions } from '../context.ts';
import { playerEntryLines } from '../player-entry-lines.ts';

/** Description of the JSON output in the help. */
const WHAT = 'object with balancer, join, problems and link';

/** Defines `overworld-master balancer show|adopt|remove`. */
export function balancerCommand(context: CliContext): Command {
  return new Command('balancer')
    .description('the load balancer in front of the proxies')
    .addCommand(show(context))
    .addCommand(adopt(context))
    .addCommand(remove(context));
}

function show(context: CliContext): Command {
  return new Command('show')
    .description('show the join addresses and the state of each proxy at the load balancer')
    .addOption(dataOption())
    .addOption(jsonOption(WHAT))
    .action(async ({ data, json }: CommonOptions) => {
      const playerEntry = await withMaster(data, (master) => master.call('wayIn.get', {}));
      if (json === true) printJson(context, playerEntry);
      else context.out(playerEntryLines(playerEntry));
    });
}

function adopt(context: CliContext): Command {
  return new Command('adopt')
    .description("add Overworld's section to the load balancer's configuration; the rest is not changed")
    .addOption(dataOption())
    .addOption(jsonOption(WHAT))
    .action(async ({ data, json }: CommonOptions) => {
      const playerEntry = await withMaster(data, (master) => master.call('balancer.adopt', {}));
      if (json === true) printJson(context, playerEntry);
      else
        context.out(
          `${playerEntry.balancer.configPath} now has Overworld's section.\n\n${playerEntryLines(playerEntry)}`,
        );
    });
}

function remove(context: CliContext): Command {
  return new Command('remove')
    .description("remove Overworld's section from the load balancer's configuration; the rest is not changed")
    .addOption(dataOption())
    .addOption(jsonOption(WHAT))
    .action(async ({ data, json }: CommonOptions) => {
      const playerEntry = await withMaster(data, (master) => master.call('balancer.remove', {}));
      if (json === true) printJson(context, playerEntry);
      else
        context.out(
          `${playerEntry.balancer.configPath} no longer has Overworld's section.\n\n${playerEntryLines(playerEntry)}`,
        );
    });
}
