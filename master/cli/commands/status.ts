import { Command } from 'commander';
import { problemSentence } from '#shared/config/problem.ts';
import type { Template } from '#shared/model/template.ts';
import type { Unmet } from '#shared/model/wait.ts';
import type { Result } from '#shared/rpc/contract.ts';
import { readBackupState } from '#master/backup/state.ts';
import { withMaster } from '../client.ts';
import { dataOption, jsonOption, printJson, type CliContext, type CommonOptions } from '../context.ts';
import { nodeTable } from '../node-table.ts';
import { playerEntryPairs } from '../player-entry-lines.ts';
import { failureRemarks, serviceTable } from '../service-table.ts';
import { formatPairs, formatTime, printable } from '../table.ts';

/** Defines `overworld-master status`. */
export function statusCommand(context: CliContext): Command {
  return new Command('status')
    .description('show the status of the running master')
    .addOption(dataOption())
    .addOption(jsonOption('object with the master, network, services, nodes and templates'))
    .action((options: CommonOptions) => status(options, context));
}

async function status({ data, json }: CommonOptions, context: CliContext): Promise<void> {
  const { info, services, nodes, templates, noOrder, provider, playerEntry, document } = await withMaster(
    data,
    async (master) => ({
      info: await master.call('master.info', {}),
      services: await master.call('services.list', {}),
      nodes: await master.call('nodes.list', {}),
      templates: await master.call('templates.list', {}),
      noOrder: await master.call('plan.noOrder', {}),
      provider: await master.call('nodes.provider', {}),
      playerEntry: await master.call('wayIn.get', {}),
      document: await master.call('config.get', {}),
    }),
  );
  const backup = await readBackupState(data, Date.now());
  if (json === true) {
    const { network, services: all } = services;
    printJson(context, {
      ...info,
      network,
      services: all,
      nodes,
      templates,
      noOrder,
      provider,
      wayIn: playerEntry,
      backup,
    });
    return;
  }
  context.out(
    formatPairs([
      ['Master', `${info.version} on ${info.hostname}`],
      ['Running since', formatTime(info.startedAt)],
      ['Host key', info.hostKey],
      ['Java', info.java ?? 'not found'],
      ['Players', playersText(services.network)],
      ['Backup', backupText(backup)],
      ...playerEntryPairs(playerEntry),
    ]),
  );
  context.out(`\n${nodeTable(nodes)}`);
  context.out(`\n${serviceTable(services.services)}`);
  const remarks = [
    ...configurationRemarks(document),
    ...failureRemarks(services.services),
    ...(backup.problem === null ? [] : [`The backup: ${backup.problem}`]),
    ...templates.flatMap(templateRemarks),
    ...(provider.trouble === null ? [] : [`The hosting provider: ${provider.trouble}`]),
    ...(noOrder === null ? [] : [`No node is ordered: ${noOrder.message}`]),
  ];
  if (remarks.length > 0) context.out(`\n${remarks.map(printable).join('\n')}`);
}

function playersText({ players, limit }: Result<'services.list'>['network']): string {
  return players === null ? `not known yet, at most ${limit}` : `${players} of ${limit}`;
}

function backupText({ repository, running, lastComplete }: Result<'backup.get'>): string {
  if (repository === null) return 'not configured';
  const last = lastComplete === null ? 'none yet' : formatTime(lastComplete.at);
  return running === null ? last : `${last}; one is in progress`;
}

/**
 * Returns a remark with the first problem of a faulty master configuration. While the file is faulty, the master uses
 * the last valid configuration.
 */
function configurationRemarks({ problems }: Result<'config.get'>): string[] {
  const [first] = problems;
  if (first === undefined) return [];
  return [`The master configuration is faulty, so the last valid one applies. ${problemSentence(first)}`];
}

/** Returns remarks on a template: that its automation is paused, and which services are missing or why it waits. */
function templateRemarks({ id, held, unmet }: Template): string[] {
  return [
    ...(held ? [`Automation of template ${id} is paused.`] : []),
    ...(unmet === null ? [] : [`Template ${id} ${unmetWords(unmet)}`]),
  ];
}

function unmetWords({ missing, wait }: Unmet): string {
  return `${missing === 0 ? 'waits' : `is missing ${missing}`}: ${wait.message}`;
}
