import { Command } from 'commander';
import type { Params } from '#shared/rpc/contract.ts';
import type { MasterClient } from '../client.ts';
import { withMaster } from '../client.ts';
import { dataOption, jsonOption, printJson, type CliContext, type CommonOptions } from '../context.ts';
import { nodeTable } from '../node-table.ts';
import { holdCommands, orderCommand, type Order } from './hold.ts';

const SUBJECT = 'the node, as `node list` shows it';

/** Defines `overworld-master node list|cordon|drain|release|resume|lock|unlock|hold|put-back`. */
export function nodeCommand(context: CliContext): Command {
  const list = new Command('list')
    .description('list all nodes')
    .addOption(dataOption())
    .addOption(jsonOption())
    .action((options: CommonOptions) => listNodes(options, context));
  const command = new Command('node')
    .description('look at nodes, set them aside, keep them')
    .addCommand(list);
  for (const order of orders) command.addCommand(orderCommand({ ...order, subject: SUBJECT }, context));
  const noun = { subject: SUBJECT, what: 'one node' };
  const overrides = holdCommands(
    noun,
    (master, id, held) => master.call('nodes.hold', { id, held }),
    context,
  );
  for (const child of overrides) command.addCommand(child);
  return command;
}

async function listNodes({ data, json }: CommonOptions, context: CliContext): Promise<void> {
  const nodes = await withMaster(data, (master) => master.call('nodes.list', {}));
  if (json === true) printJson(context, nodes);
  else context.out(nodeTable(nodes));
}

const orders: readonly Omit<Order, 'subject'>[] = [
  {
    name: 'cordon',
    description: 'let it take no new services',
    ask: schedule('cordon'),
    done: (id) => `${id} takes no new services.`,
  },
  {
    name: 'drain',
    description: 'let it take no new services, replace those on it elsewhere, and stop them once unused',
    ask: schedule('drain'),
    done: (id) => `${id} is being drained.`,
  },
  {
    name: 'release',
    description: 'drain it, and give it back to its provider once it is empty, whatever is paid for',
    ask: schedule('release'),
    done: (id) => `${id} is given back once it is empty.`,
  },
  {
    name: 'resume',
    description: 'take cordon, drain and release back',
    ask: schedule('resume'),
    done: (id) => `${id} takes services again.`,
  },
  {
    name: 'lock',
    description: 'never let the rules drain it or give it back',
    ask: lock(true),
    done: (id) => `${id} is locked: no rule drains it or gives it back.`,
  },
  {
    name: 'unlock',
    description: 'take lock back',
    ask: lock(false),
    done: (id) => `${id} is unlocked.`,
  },
];

function schedule(to: Params<'nodes.schedule'>['to']): Order['ask'] {
  return (master: MasterClient, id: string) => master.call('nodes.schedule', { id, to });
}

function lock(locked: boolean): Order['ask'] {
  return (master: MasterClient, id: string) => master.call('nodes.lock', { id, locked });
}
