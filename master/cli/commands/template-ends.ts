import { Command, Option } from 'commander';
import { withMaster } from '../client.ts';
import { dataOption, jsonOption, printJson, type CliContext, type CommonOptions } from '../context.ts';
import { printable } from '../table.ts';
import { failedSaveWords, servicesWhere } from './services/ending-data.ts';

interface RestartOptions extends CommonOptions {
  readonly all?: true;
  readonly outdated?: true;
  readonly cancel?: true;
}

/** Defines `overworld-master template restart <id> [--outdated|--all|--cancel]`. */
export function templateRestartCommand(context: CliContext): Command {
  return new Command('restart')
    .description(
      'rolling restart: replace services in batches. Each service stops once no player is on it. Everything that it wrote outside of persistent paths is then deleted',
    )
    .argument('<id>', 'id of the template (the name of its folder)')
    .addOption(dataOption())
    .addOption(
      jsonOption('{services}: ids of the replaced services; with --cancel, ids of the services that stay'),
    )
    .addOption(
      new Option('--outdated', 'replace services with outdated files or settings (default)').conflicts([
        'all',
        'cancel',
      ]),
    )
    .addOption(new Option('--all', 'replace all services').conflicts(['outdated', 'cancel']))
    .addOption(
      new Option('--cancel', 'cancel the restart: keep services that are not replaced yet').conflicts([
        'outdated',
        'all',
      ]),
    )
    .action(async (id: string, { data, json, all, cancel }: RestartOptions) => {
      const which = cancel === true ? 'none' : all === true ? 'all' : 'outdated';
      const { services, failed } = await withMaster(data, async (master) => {
        const chosen = await master.call('templates.restart', { id, which });
        const isCancelled = which === 'none';
        return { ...chosen, failed: isCancelled ? '' : await failedSaveWords(master, chosen.services) };
      });
      if (json === true) printJson(context, { services });
      else context.out(printable(`${restartSentence(services, which === 'none')} ${failed}`.trimEnd()));
    });
}

function restartSentence(services: readonly string[], stay: boolean): string {
  if (services.length === 0)
    return stay ? 'No rolling restart was running.' : 'No service needs to be replaced.';
  const verb =
    services.length === 1 ? (stay ? 'stays' : 'is being replaced') : stay ? 'stay' : 'are being replaced';
  return `${services.join(', ')} ${verb}.`;
}

interface DeleteOptions extends CommonOptions {
  readonly drain?: true;
  readonly stop?: true;
  readonly cancel?: true;
}

/** Defines `overworld-master template delete <id> [--drain|--stop|--cancel]`. */
export function templateDeleteCommand(context: CliContext): Command {
  return new Command('delete')
    .description(
      'delete a template with its files; refused while it has services, unless you choose --drain or --stop',
    )
    .argument('<id>', 'id of the template (the name of its folder)')
    .addOption(dataOption())
    .addOption(
      new Option(
        '--drain',
        'delete it once its last service has stopped; until then no service starts, and empty services stop',
      ).conflicts(['stop', 'cancel']),
    )
    .addOption(
      new Option('--stop', 'delete it together with its services, including those with players').conflicts([
        'drain',
        'cancel',
      ]),
    )
    .addOption(new Option('--cancel', 'cancel a deletion with --drain').conflicts(['drain', 'stop']))
    .action(async (id: string, { data, drain, stop, cancel }: DeleteOptions) => {
      if (cancel === true) {
        await withMaster(data, (master) => master.call('templates.cancelDelete', { id }));
        context.out(printable(`${id} stays.`));
        return;
      }
      const services = drain === true ? 'drain' : stop === true ? 'stop' : 'refuse';
      const failed = await withMaster(data, async (master) => {
        const own = await servicesWhere(master, ({ template }) => template === id);
        await master.call('templates.delete', { id, services });
        return failedSaveWords(master, own);
      });
      const done =
        drain === true ? `${id} is deleted once its last service has stopped.` : `${id} was deleted.`;
      context.out(printable(`${done} ${failed}`.trimEnd()));
    });
}
