import { Command } from 'commander';
import type { Result } from '#shared/rpc/contract.ts';
import { withMaster } from '../client.ts';
import { dataOption, jsonOption, printJson, type CliContext, type CommonOptions } from '../context.ts';
import { formatPairs, formatTable, formatTime } from '../table.ts';

/** `overworld-master status` */
export function statusCommand(context: CliContext): Command {
  return new Command('status')
    .description('show what the running master does')
    .addOption(dataOption())
    .addOption(jsonOption())
    .action((options: CommonOptions) => status(options, context));
}

async function status({ data, json }: CommonOptions, context: CliContext): Promise<void> {
  const { info, services, nodes } = await withMaster(data, async (master) => ({
    info: await master.call('master.info', {}),
    services: await master.call('services.list', {}),
    nodes: await master.call('nodes.list', {}),
  }));
  if (json === true) {
    printJson(context, { ...info, network: services.network, services: services.services, nodes });
    return;
  }
  context.out(
    formatPairs([
      ['Master', `${info.version} on ${info.hostname}`],
      ['Running since', formatTime(info.startedAt)],
      ['Java', info.java ?? 'not found'],
      ['Players', `${services.network.players} of ${services.network.limit}`],
    ]),
  );
  context.out(`\n${nodeTable(nodes)}`);
  context.out(`\n${serviceTable(services.services)}`);
}

function nodeTable(nodes: Result<'nodes.list'>): string {
  return formatTable(
    ['NODE', 'STATE', 'ADDRESS', 'RAM MB', 'OF', 'SERVICES'],
    nodes.map(({ id, state, address, ram, services }) => [
      id,
      state,
      address,
      ram.allocatedMb,
      ram.totalMb,
      services,
    ]),
  );
}

function serviceTable(services: Result<'services.list'>['services']): string {
  if (services.length === 0) return 'No services.';
  const sorted = services.toSorted((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));
  return formatTable(
    ['SERVICE', 'STATE', 'PLAYERS', 'ADDRESS', 'NOTE'],
    sorted.map(({ id, state, stopping, players, address, waiting, failure }) => [
      id,
      stopping === null ? state : `${state} (stopping)`,
      `${players.online}/${players.max}`,
      address === null ? '' : `${address.host}:${address.port}`,
      stopping?.cause ?? waiting?.message ?? failure?.error.message ?? '',
    ]),
  );
}
