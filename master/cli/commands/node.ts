import { Command } from 'commander';
import type { Params } from '#shared/rpc/contract.ts';
import type { MasterClient } from '../client.ts';
import { withMaster } from '../client.ts';
import { dataOption, jsonOption, printJson, type CliContext, type CommonOptions } from '../context.ts';
import { nodeTable } from '../node-table.ts';
import { foreignServerCommands, foreignServersLine } from './foreign-servers.ts';
import { failedSavesOn } from './services/ending-data.ts';
import { pauseCommands, subjectCommand, type SubjectCommand } from './pause.ts';

const SUBJECT = 'the node, as `node list` shows it';

/**
 * Defines `overworld-master node list|cordon|drain|release|resume|lock|unlock|hold|put-back|foreign|delete-foreign`.
 */
export function nodeCommand(context: CliContext): Command {
  const list = new Command('list')
    .description('list all nodes')
    .addOption(dataOption())
    .addOption(jsonOption('array of nodes'))
    .action((options: CommonOptions) => listNodes(options, context));
  const command = new Command('node')
    .description('list, cordon, drain, release and protect nodes')
    .addCommand(list);
  for (const each of nodeCommands) command.addCommand(subjectCommand({ ...each, subject: SUBJECT }, context));
  const noun = { subject: SUBJECT, what: 'one node' };
  const overrides = pauseCommands(
    noun,
    (master, id, held) => master.call('nodes.hold', { id, held }),
    context,
  );
  for (const child of [...overrides, ...foreignServerCommands(context)]) command.addCommand(child);
  return command;
}

async function listNodes({ data, json }: CommonOptions, context: CliContext): Promise<void> {
  await withMaster(data, async (master) => {
    const nodes = await master.call('nodes.list', {});
    if (json === true) {
      printJson(context, nodes);
      return;
    }
    context.out(nodeTable(nodes));
    const foreign = foreignServersLine(await master.call('nodes.foreign', {}));
    if (foreign !== null) context.out(`\n${foreign}`);
  });
}

const nodeCommands: readonly Omit<SubjectCommand, 'subject'>[] = [
  {
    name: 'cordon',
    description: 'start no more services on a node; its services stay',
    ask: schedule('cordon'),
    done: (id) => `${id} accepts no new services.`,
  },
  {
    name: 'drain',
    description:
      'empty a node: the node gets no new services, other nodes get replacements, and each old service stops once it has no players. Everything that a service wrote outside of persistent paths is then deleted',
    ask: schedule('drain'),
    done: (id) => `${id} is being drained.`,
    more: failedSavesOn,
  },
  {
    name: 'release',
    description:
      'drain a node, and delete its server at the provider once the node is empty, even within a paid hour. Everything that its services wrote outside of persistent paths is deleted',
    ask: schedule('release'),
    done: (id) => `${id} is released once it is empty.`,
    more: failedSavesOn,
  },
  {
    name: 'resume',
    description: 'undo cordon, drain or release: allow new services again',
    ask: schedule('resume'),
    done: (id) => `${id} accepts services again.`,
  },
  {
    name: 'lock',
    description: 'protect a node from release: no rule drains or releases it',
    ask: lock(true),
    done: (id) => `${id} is protected from release: no rule drains or releases it.`,
  },
  {
    name: 'unlock',
    description: 'allow the release of a node again',
    ask: lock(false),
    done: (id) => `${id} can be released again.`,
  },
];

function schedule(to: Params<'nodes.schedule'>['to']): SubjectCommand['ask'] {
  return (master: MasterClient, id: string) => master.call('nodes.schedule', { id, to });
}

function lock(locked: boolean): SubjectCommand['ask'] {
  return (master: MasterClient, id: string) => master.call('nodes.lock', { id, locked });
}
