import { Command } from 'commander';
import { withMaster } from '../client.ts';
import { dataOption, type CliContext, type CommonOptions } from '../context.ts';
import { playerEntryLines } from '../player-entry-lines.ts';

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
    .action(async ({ data }: CommonOptions) => {
      context.out(playerEntryLines(await withMaster(data, (master) => master.call('wayIn.get', {}))));
    });
}

function adopt(context: CliContext): Command {
  return new Command('adopt')
    .description("add Overworld's section to the load balancer's configuration; the rest is not changed")
    .addOption(dataOption())
    .action(async ({ data }: CommonOptions) => {
      const wayIn = await withMaster(data, (master) => master.call('balancer.adopt', {}));
      context.out(`${wayIn.balancer.configPath} now has Overworld's section.\n\n${playerEntryLines(wayIn)}`);
    });
}

function remove(context: CliContext): Command {
  return new Command('remove')
    .description("remove Overworld's section from the load balancer's configuration; the rest is not changed")
    .addOption(dataOption())
    .action(async ({ data }: CommonOptions) => {
      const wayIn = await withMaster(data, (master) => master.call('balancer.remove', {}));
      context.out(
        `${wayIn.balancer.configPath} no longer has Overworld's section.\n\n${playerEntryLines(wayIn)}`,
      );
    });
}
