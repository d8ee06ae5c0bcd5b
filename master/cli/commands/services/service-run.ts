import { Command } from 'commander';
import type { Service } from '#shared/model/service.ts';
import { withMaster } from '../../client.ts';
import {
  countParser,
  dataOption,
  jsonOption,
  printJson,
  type CliContext,
  type CommonOptions,
} from '../../context.ts';
import { failureRemarks, serviceTable } from '../../service-table.ts';
import { printable } from '../../table.ts';
import { endingDataWords } from './ending-data.ts';

/** Maximum number of services that one call of the command starts. */
const MAX_STARTS = 100;

interface ListOptions extends CommonOptions {
  readonly template?: string;
}

/** Defines `overworld-master service list`. */
export function serviceListCommand(context: CliContext): Command {
  return new Command('list')
    .description('list all services')
    .option('--template <id>', 'only services of this template')
    .addOption(dataOption())
    .addOption(jsonOption('array of services'))
    .action(async ({ data, json, template }: ListOptions) => {
      const all = await withMaster(data, (master) => master.call('services.list', {}));
      const services = all.services.filter((one) => template === undefined || one.template === template);
      if (json === true) printJson(context, services);
      else showServices(services, context);
    });
}

function showServices(services: readonly Service[], context: CliContext): void {
  context.out(serviceTable(services));
  const remarks = failureRemarks(services);
  if (remarks.length > 0) context.out(`\n${remarks.map(printable).join('\n')}`);
}

interface StartOptions extends CommonOptions {
  readonly count: number;
}

/** Defines `overworld-master service start <template> [--count <number>]`. */
export function serviceStartCommand(context: CliContext): Command {
  return new Command('start')
    .description('start more services of a template')
    .argument('<template>', 'the template, such as lobby')
    .option('--count <number>', 'number of services', countParser(MAX_STARTS), 1)
    .addOption(dataOption())
    .addOption(jsonOption('{services}, the ids of the new services'))
    .action((template: string, options: StartOptions) => startServices(template, options, context));
}

async function startServices(
  template: string,
  { data, json, count }: StartOptions,
  context: CliContext,
): Promise<void> {
  const services: string[] = [];
  try {
    await withMaster(data, async (master) => {
      while (services.length < count) {
        services.push((await master.call('services.start', { template })).id);
      }
    });
  } finally {
    // Services that were requested before a failure are being started, so they are printed even after a failure.
    if (json === true) printJson(context, { services });
    else for (const id of services) context.out(printable(`${id} is being started.`));
  }
}

/** Defines `overworld-master service stop <id…> [--kill]`. */
export function serviceStopCommand(context: CliContext): Command {
  return endCommand(
    'stop',
    'stop services; players on them are moved to a fallback with room, or disconnected, and everything that they wrote outside of persistent paths is deleted',
  )
    .option('--kill', 'kill them immediately')
    .action((ids: readonly string[], { data, kill = false }: CommonOptions & { readonly kill?: boolean }) =>
      stopServices(ids, { data, kill }, context),
    );
}

/** Defines `overworld-master service kill <id…>`, which has the same effect as `service stop <id…> --kill`. */
export function serviceKillCommand(context: CliContext): Command {
  return endCommand(
    'kill',
    'kill services immediately; everything that they wrote outside of persistent paths is deleted',
  ).action((ids: readonly string[], { data }: CommonOptions) =>
    stopServices(ids, { data, kill: true }, context),
  );
}

function endCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .argument('<ids...>', 'one or more services, such as lobby-3')
    .addOption(dataOption());
}

async function stopServices(
  ids: readonly string[],
  { data, kill }: { readonly data: string; readonly kill: boolean },
  context: CliContext,
): Promise<void> {
  await withMaster(data, async (master) => {
    const dataWords = await endingDataWords(master);
    for (const id of ids) {
      await master.call('services.stop', { id, kill });
      const ends = kill ? `${id} is being killed.` : `${id} is being stopped.`;
      context.out(printable(`${ends} ${dataWords(id)}`));
    }
  });
}
