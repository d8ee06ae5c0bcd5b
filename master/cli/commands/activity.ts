import { Command } from 'commander';
import type { ActivityEvent } from '#shared/model/event.ts';
import { withMaster } from '../client.ts';
import {
  countParser,
  dataOption,
  jsonOption,
  printJson,
  printJsonLine,
  type CliContext,
  type CommonOptions,
} from '../context.ts';
import { exitWithReader, followActivity, type ActivityFilter } from '../follow.ts';
import { formatSeconds, printable } from '../table.ts';

interface ActivityOptions extends CommonOptions, ActivityFilter {
  readonly lines: number;
  readonly follow?: true;
}

/** Defines `overworld-master activity`. */
export function activityCommand(context: CliContext): Command {
  return new Command('activity')
    .description('show who did what, when and why, newest last')
    .option('-n, --lines <count>', 'number of events, at most 500', countParser(500), 20)
    .option('-f, --follow', 'wait for new events and show them too, until Ctrl+C')
    .option('--template <id>', 'only events of this template and its services')
    .option('--subject <id>', 'only events about this service, node, template or player')
    .option('--text <words>', 'only events that contain all these words')
    .addOption(dataOption())
    .addOption(jsonOption('array of events, newest last; with -f one event per line'))
    .action((options: ActivityOptions) => activity(options, context));
}

async function activity(options: ActivityOptions, context: CliContext): Promise<void> {
  const { data, json, lines, follow, template, subject, text } = options;
  const filter = {
    ...(template === undefined ? {} : { template }),
    ...(subject === undefined ? {} : { subject }),
    ...(text === undefined ? {} : { text }),
  };
  if (follow === true) {
    exitWithReader();
    const show = (event: ActivityEvent): void =>
      json === true ? printJsonLine(context, event) : context.out(eventLine(event));
    await withMaster(data, (master) =>
      followActivity(master, { count: lines, filter }, (events) => events.forEach(show)),
    );
    return;
  }
  const newest = await withMaster(data, (master) =>
    master.call('activity.list', { ...filter, limit: lines }),
  );
  const events = newest.reverse();
  if (json === true) printJson(context, events);
  else for (const event of events) context.out(eventLine(event));
}

/** Formats an event as one line, with its time in UTC. */
function eventLine({ at, actor, message, cause }: ActivityEvent): string {
  const sentence = message.replace(/\.$/, '');
  const why = cause === '' ? '' : `: ${cause}`;
  const who = actor === 'overworld' ? '' : ` [${actor}]`;
  return printable(`${formatSeconds(at)}  ${sentence}${why}${who}`);
}
