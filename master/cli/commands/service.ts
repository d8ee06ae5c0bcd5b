import { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { holdCommands } from './hold.ts';

/** `overworld-master service hold|put-back` */
export function serviceCommand(context: CliContext): Command {
  const noun = { subject: 'the service, such as lobby-3', what: 'one service' };
  const command = new Command('service').description('hold services, put them back');
  const commands = holdCommands(
    noun,
    (master, id, held) => master.call('services.hold', { id, held }),
    context,
  );
  for (const child of commands) command.addCommand(child);
  return command;
}
