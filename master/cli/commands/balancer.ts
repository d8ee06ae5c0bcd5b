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
    .description('show where players come in, and what the load balancer makes of each proxy')
    .addOption(dataOption())
    .action(async ({ data }: CommonOptions) => {
      context.out(playerEntryLines(await withMaster(data, (master) => master.call('wayIn.get', {}))));
    });
}

function adopt(context: CliContext): Command {
  return new Command('adopt')
    .description("put Overworld's section into the load balancer's configuration; the rest stays as it is")
    .addOption(dataOption())
    .action(async ({ data }: CommonOptions) => {
      const wayIn = await withMaster(data, (master) => master.call('balancer.adopt', {}));
      context.out(`${wayIn.balancer.configPath} has Overworld's section now.\n\n${playerEntryLines(wayIn)}`);
    });
}

function remove(context: CliContext): Command {
  return new Command('remove')
    .description("take Overworld's section out of the load balancer's configuration; the rest stays as it is")
    .addOption(dataOption())
    .action(async ({ data }: CommonOptions) => {
      const wayIn = await withMaster(data, (master) => master.call('balancer.remove', {}));
      context.out(
        `${wayIn.balancer.configPath} has no section of Overworld's any more.\n\n${playerEntryLines(wayIn)}`,
      );
    });
}
