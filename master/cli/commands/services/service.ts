import { Command, InvalidArgumentError, Option } from 'commander';
import { withMaster } from '../../client.ts';
import { dataOption, type CliContext, type CommonOptions } from '../../context.ts';
import { printable } from '../../table.ts';
import { endingDataWords, failedSaveWords } from './ending-data.ts';
import { pauseCommands } from '../pause.ts';
import { serviceConsoleCommand } from './service-console.ts';
import { serviceFilesCommand } from './files/service-files.ts';
import { serviceLogsCommand } from './service-logs.ts';
import {
  serviceKillCommand,
  serviceListCommand,
  serviceStartCommand,
  serviceStopCommand,
} from './service-run.ts';

/** Defines `overworld-master service list|start|stop|kill|restart|drain|console|logs|files|hold|put-back`. */
export function serviceCommand(context: CliContext): Command {
  const noun = { subject: 'the service, such as lobby-3', what: 'one service' };
  const command = new Command('service').description(
    'list, start, stop and restart services, and use their consoles and files',
  );
  const commands = pauseCommands(
    noun,
    (master, id, held) => master.call('services.hold', { id, held }),
    context,
  );
  const children = [
    serviceListCommand(context),
    serviceStartCommand(context),
    serviceStopCommand(context),
    serviceKillCommand(context),
    restart(context),
    drain(context),
    serviceConsoleCommand(context),
    serviceLogsCommand(context),
    serviceFilesCommand(context),
    ...commands,
  ];
  for (const child of children) command.addCommand(child);
  return command;
}

function restart(context: CliContext): Command {
  return new Command('restart')
    .description(
      'stop a service and start it again with the same id, from the latest files and settings of its template. Everything that it wrote outside of persistent paths is deleted',
    )
    .argument('<id>', 'the service, such as lobby-3')
    .addOption(dataOption())
    .option('--kill', 'kill it immediately')
    .action(async (id: string, { data, kill = false }: CommonOptions & { readonly kill?: boolean }) => {
      const words = await withMaster(data, async (master) => {
        const dataWords = await endingDataWords(master);
        await master.call('services.restart', { id, kill });
        return dataWords(id);
      });
      context.out(printable(`${id} is being restarted. ${words}`));
    });
}

interface DrainOptions extends CommonOptions {
  readonly within?: number;
  readonly cancel?: boolean;
}

function drain(context: CliContext): Command {
  return new Command('drain')
    .description(
      'move the players of a service to fallbacks, and stop the service once it is empty. Everything that it wrote outside of persistent paths is then deleted',
    )
    .argument('<id>', 'the service, such as lobby-3')
    .addOption(dataOption())
    .option(
      '--within <minutes>',
      'stop it after this time at the latest (default: wait until it is empty)',
      toMinutes,
    )
    .addOption(
      new Option('--cancel', 'cancel a drain: the service accepts players again').conflicts('within'),
    )
    .action(async (id: string, { data, within, cancel = false }: DrainOptions) => {
      const withinMs = within === undefined ? null : within * 60_000;
      const failed = await withMaster(data, async (master) => {
        await (cancel
          ? master.call('services.cancelDrain', { id })
          : master.call('services.drain', { id, withinMs }));
        return cancel ? '' : failedSaveWords(master, [id]);
      });
      context.out(printable(cancel ? `${id} accepts players again.` : `${id} is draining. ${failed}`.trim()));
    });
}

/**
 * Parses a number of minutes.
 *
 * @throws InvalidArgumentError
 */
function toMinutes(text: string): number {
  const minutes = Number(text);
  if (!/^\d{1,4}$/.test(text) || minutes > 1440) throw new InvalidArgumentError('Minutes from 0 to 1440.');
  return minutes;
}
