import { Command } from 'commander';
import { withMaster } from '../client.ts';
import { dataOption, type CliContext, type CommonOptions } from '../context.ts';
import { printable } from '../table.ts';
import { holdCommands } from './hold.ts';

/** `overworld-master service hold|put-back|restart` */
export function serviceCommand(context: CliContext): Command {
  const noun = { subject: 'the service, such as lobby-3', what: 'one service' };
  const command = new Command('service').description('hold services, put them back, restart them');
  const commands = holdCommands(
    noun,
    (master, id, held) => master.call('services.hold', { id, held }),
    context,
  );
  for (const child of [...commands, restart(context)]) command.addCommand(child);
  return command;
}

function restart(context: CliContext): Command {
  return new Command('restart')
    .description('stop a service and start it again under its id, from the newest files and values')
    .argument('<id>', 'the service, such as lobby-3')
    .addOption(dataOption())
    .option('--kill', 'without time to save')
    .action(async (id: string, { data, kill = false }: CommonOptions & { readonly kill?: boolean }) => {
      await withMaster(data, (master) => master.call('services.restart', { id, kill }));
      context.out(printable(`${id} is being restarted.`));
    });
}
