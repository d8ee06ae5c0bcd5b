import { Command } from 'commander';
import { isUp } from '#shared/model/service.ts';
import type { Template } from '#shared/model/template.ts';
import type { Result } from '#shared/rpc/contract.ts';
import { withMaster } from '../client.ts';
import { dataOption, jsonOption, printJson, type CliContext, type CommonOptions } from '../context.ts';
import { nodeTable } from '../node-table.ts';
import { toAddress, playerEntryPairs } from '../player-entry-lines.ts';
import { formatPairs, formatTable, formatTime, printable } from '../table.ts';

/** Defines `overworld-master status`. */
export function statusCommand(context: CliContext): Command {
  return new Command('status')
    .description('show the status of the running master')
    .addOption(dataOption())
    .addOption(jsonOption())
    .action((options: CommonOptions) => status(options, context));
}

async function status({ data, json }: CommonOptions, context: CliContext): Promise<void> {
  const { info, services, nodes, templates, noOrder, provider, wayIn } = await withMaster(
    data,
    async (master) => ({
      info: await master.call('master.info', {}),
      services: await master.call('services.list', {}),
      nodes: await master.call('nodes.list', {}),
      templates: await master.call('templates.list', {}),
      noOrder: await master.call('plan.noOrder', {}),
      provider: await master.call('nodes.provider', {}),
      wayIn: await master.call('wayIn.get', {}),
    }),
  );
  if (json === true) {
    const { network, services: all } = services;
    printJson(context, { ...info, network, services: all, nodes, templates, noOrder, provider, wayIn });
    return;
  }
  context.out(
    formatPairs([
      ['Master', `${info.version} on ${info.hostname}`],
      ['Running since', formatTime(info.startedAt)],
      ['Host key', info.hostKey],
      ['Java', info.java ?? 'not found'],
      ['Players', playersText(services.network)],
      ...playerEntryPairs(wayIn),
    ]),
  );
  context.out(`\n${nodeTable(nodes)}`);
  context.out(`\n${serviceTable(services.services)}`);
  const remarks = [
    ...templates.flatMap(templateRemarks),
    ...(provider.trouble === null ? [] : [`The hosting provider: ${provider.trouble}`]),
    ...(noOrder === null ? [] : [`No node is ordered: ${noOrder.message}`]),
  ];
  if (remarks.length > 0) context.out(`\n${remarks.map(printable).join('\n')}`);
}

function playersText({ players, limit }: Result<'services.list'>['network']): string {
  return players === null ? `not known yet, at most ${limit}` : `${players} of ${limit}`;
}

/** Returns remarks on a template: that its automation is paused, and what it lacks. */
function templateRemarks({ id, held, unmet }: Template): string[] {
  const lack = unmet === null ? [] : [`Template ${id} lacks ${unmet.missing}: ${unmet.wait.message}`];
  return [...(held ? [`Automation of template ${id} is paused.`] : []), ...lack];
}

function serviceTable(services: Result<'services.list'>['services']): string {
  if (services.length === 0) return 'No services.';
  const sorted = services.toSorted((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));
  return formatTable(
    ['SERVICE', 'STATE', 'PLAYERS', 'ADDRESS', 'NOTE'],
    sorted.map(({ id, state, stopping, held, players, address, waiting, failure }) => [
      id,
      stateText(state, { stopping: stopping !== null, held }),
      isUp({ state }) ? `${players.online}/${players.max}` : '',
      address === null ? '' : toAddress(address),
      stopping?.cause ?? waiting?.message ?? failure?.error.message ?? '',
    ]),
  );
}

function stateText(
  state: string,
  { stopping, held }: { readonly stopping: boolean; readonly held: boolean },
): string {
  const marks = [...(stopping ? ['stopping'] : []), ...(held ? ['paused'] : [])];
  return marks.length === 0 ? state : `${state} (${marks.join(', ')})`;
}
