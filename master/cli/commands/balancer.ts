import { Command } from 'commander';
import { withMaster } from '../client.ts';
import { dataOption, type CliContext, type CommonOptions } from '../context.ts';
import { wayInLines } from '../way-in-lines.ts';

/** `overworld-master balancer show|adopt` */
export function balancerCommand(context: CliContext): Command {
  return new Command('balancer')
    .description('the load balancer in front of the proxies')
    .addCommand(show(context))
    .addCommand(adopt(context));
}

function show(context: CliContext): Command {
  return new Command('show')
    .description('show where players come in, and what the load balancer makes of each proxy')
    .addOption(dataOption())
    .action(async ({ data }: CommonOptions) => {
      context.out(wayInLines(await withMaster(data, (master) => master.call('wayIn.get', {}))));
    });
}

function adopt(context: CliContext): Command {
  return new Command('adopt')
    .description("put Overworld's section into the load balancer's configuration; the rest stays as it is")
    .addOption(dataOption())
    .action(async ({ data }: CommonOptions) => {
      const wayIn = await withMaster(data, (master) => master.call('balancer.adopt', {}));
      context.out(`${wayIn.balancer.configPath} has Overworld's section now.\n\n${wayInLines(wayIn)}`);
    });
}
