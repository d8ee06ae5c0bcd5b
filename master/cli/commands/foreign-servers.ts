import { Command } from 'commander';
import type { ForeignServer } from '#shared/model/foreign-server.ts';
import { withMaster } from '../client.ts';
import { dataOption, jsonOption, printJson, type CliContext, type CommonOptions } from '../context.ts';
import { formatTable, formatTime, printable } from '../table.ts';

/** Defines `overworld-master node foreign|delete-foreign`. */
export function foreignServerCommands(context: CliContext): Command[] {
  const list = new Command('foreign')
    .description("list the servers of other networks in the provider's project, and what they cost")
    .addOption(dataOption())
    .addOption(jsonOption('array of servers'))
    .action(async ({ data, json }: CommonOptions) => {
      const servers = await withMaster(data, (master) => master.call('nodes.foreign', {}));
      if (json === true) printJson(context, servers);
      else context.out(describe(servers));
    });
  const remove = new Command('delete-foreign')
    .description('delete servers of another network at the provider; players on them are disconnected')
    .argument('<server...>', 'their names, as `node foreign` shows them')
    .requiredOption('--network <id>', 'the whole id of their network, as `node foreign` shows it')
    .addOption(dataOption())
    .action(async (names: string[], { data, network }: CommonOptions & { readonly network: string }) => {
      await withMaster(data, async (master) => {
        for (const name of names) {
          await master.call('nodes.deleteForeign', { network, name });
          context.out(printable(`${name} is deleted at the provider.`));
        }
      });
    });
  return [list, remove];
}

/**
 * Returns a sentence about servers of other networks, to be printed below a list of nodes. Null if there are no such
 * servers.
 *
 * Example: `2 servers of another network cost 0.0642 EUR/h: see overworld-master node foreign`.
 */
export function foreignServersLine(servers: readonly ForeignServer[]): string | null {
  if (servers.length === 0) return null;
  const networks = new Set(servers.map(({ network }) => network)).size;
  const perHour = servers.reduce((sum, { hourlyPrice }) => sum + hourlyPrice, 0);
  const who = `${servers.length === 1 ? '1 server' : `${servers.length} servers`} of ${networks === 1 ? 'another network' : `${networks} other networks`}`;
  return `${who} ${servers.length === 1 ? 'costs' : 'cost'} ${perHour.toFixed(4)} EUR/h: see overworld-master node foreign`;
}

function describe(servers: readonly ForeignServer[]): string {
  if (servers.length === 0) return 'The project of the API token has no servers of other networks.';
  const table = formatTable(
    ['SERVER', 'NETWORK', 'ADDRESS', 'TYPE', 'LOCATION', 'CREATED', 'EUR/H', 'STATE'],
    servers.map(({ name, network, address, type, location, since, hourlyPrice, deleting }) => [
      name,
      network,
      address ?? '-',
      type,
      location,
      formatTime(since),
      hourlyPrice.toFixed(4),
      deleting ? 'being deleted' : 'not managed by this master',
    ]),
  );
  return [
    table,
    '',
    'This master has no access to them. Another master may manage them. If that master no longer exists,',
    'delete them with: overworld-master node delete-foreign SERVER… --network NETWORK',
  ].join('\n');
}
